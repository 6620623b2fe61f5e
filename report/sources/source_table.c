/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "report/reading/row_identity.h"
#include "report/sources/source_table.h"
#include "report/sources/sources.h"

/* What a table is made from. */
struct making {
	struct source_table *table;
	const json_t *source;
	const struct run_data *run;
	const char *machine; /* of figures that name none */
};

static const json_t *rows_of(const struct source_table *t)
{
	return json_object_get(t->experiment, "rows");
}

/* A row's figures on a machine: by machine, or of the usual one. */
static const json_t *figures_on(const struct making *m, const json_t *row, const char *machine)
{
	const json_t *figures = json_object_get(row, "figures");

	if (json_is_object(figures))
		return json_object_get(figures, machine);
	return strcmp(machine, m->machine) ? NULL : figures;
}

static const json_t *known(const json_t *figure)
{
	return json_is_null(figure) ? NULL : figure;
}

/* One figure: the quantity's of a single row, or that at x of a series of [x, figure, ...]. */
static const json_t *figure_at(const json_t *figures, bool series, double x, size_t quantity)
{
	const json_t *point;
	size_t i;

	if (!series)
		return known(json_array_get(figures, quantity));
	json_array_foreach(figures, i, point)
		if (json_number_value(json_array_get(point, 0)) == x)
			return known(json_array_get(point, quantity + 1));
	return NULL;
}

static bool any_figure(const struct making *m, const char *machine, size_t quantity)
{
	const json_t *row, *point;
	size_t i, j;

	json_array_foreach(rows_of(m->table), i, row) {
		const json_t *figures = figures_on(m, row, machine);
		if (!json_object_get(row, "series") && figure_at(figures, false, NAN, quantity))
			return true;
		if (!json_object_get(row, "series"))
			continue;
		json_array_foreach(figures, j, point)
			if (known(json_array_get(point, quantity + 1)))
				return true;
	}
	return false;
}

static void add_column(struct source_table *t, const json_t *quantity, size_t at,
	const char *machine)
{
	struct source_column *c = grow((void **)&t->columns, &t->ncolumns, sizeof *c);

	*c = (struct source_column){ quantity, at, machine };
}

static void make_columns(const struct making *m)
{
	const json_t *quantity;
	const char *machine;
	json_t *what;
	size_t i;

	json_array_foreach(json_object_get(m->table->experiment, "quantities"), i, quantity) {
		json_object_foreach(json_object_get(m->source, "machines"), machine, what) {
			if (any_figure(m, machine, i))
				add_column(m->table, quantity, i, machine);
		}
		add_column(m->table, quantity, i, NULL);
	}
}

/* What of a run answers the quantity; NULL: nothing is asked. */
static const json_t *selector_of(const json_t *row, size_t quantity)
{
	const json_t *ours = json_object_get(row, "ours");

	return json_is_array(ours) ? known(json_array_get(ours, quantity)) : ours;
}

static struct source_cell own_cell(const struct making *m, const json_t *row,
	const struct source_column *column, struct source_point at)
{
	const json_t *selector = selector_of(row, column->at);
	const char *absent = text_of(row, "absent");
	struct source_cell cell = { .asked = selector || *absent };

	if (selector)
		cell.answer = source_answer_of(m->run, selector, column->quantity, at);
	else if (*absent)
		cell.answer = (struct source_answer){ NAN, NAN, NAN, NULL, copy_text(absent) };
	return cell;
}

static struct source_line *add_line(struct source_table *t, char *name, double x)
{
	struct source_line *line = grow((void **)&t->lines, &t->nlines, sizeof *line);

	line->name = name;
	line->x = x;
	return line;
}

static void add_cells(const struct making *m, const json_t *row, char *name, struct source_point at)
{
	struct source_table *t = m->table;
	struct source_line *line = add_line(t, name, at.by ? at.x : NAN);

	line->cells = new_array(t->ncolumns, sizeof *line->cells);
	for (size_t c = 0; c < t->ncolumns; c++) {
		const struct source_column *column = &t->columns[c];
		if (column->machine)
			line->cells[c].figure = figure_at(figures_on(m, row, column->machine),
				json_object_get(row, "series"), at.x, column->at);
		else
			line->cells[c] = own_cell(m, row, column, at);
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The points that the run has of what the row means, each once. */
static double *points_of_run(const struct making *m, const json_t *row, const char *by, size_t *n)
{
	size_t quantities = json_array_size(json_object_get(m->table->experiment, "quantities"));
	double *points = new_array(quantities * m->run->nrows + 1, sizeof *points);
	size_t all = 0;

	for (size_t q = 0; q < quantities; q++)
		for (size_t i = 0; i < m->run->nrows; i++) {
			const struct row_data *r = &m->run->rows[i];
			double x = row_parameter(r->json, by);
			if (!isnan(x) && source_selects(selector_of(row, q), r))
				points[all++] = x;
		}
	qsort(points, all, sizeof *points, ascending);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (!i || points[i] != points[*n - 1])
			points[(*n)++] = points[i];
	return points;
}

static char *point_name(const char *by, double x)
{
	char size[SIZE_TEXT];
	size_t bytes, length = strlen(by);
	char *text;
	FILE *out = text_stream(&text, &bytes);

	size_text(x, size);
	if (length >= 5 && !strcmp(by + length - 5, "bytes"))
		fputs(size, out);
	else
		fprintf(out, "%.15g", x);
	fclose(out);
	return text;
}

static void add_series(const struct making *m, const json_t *row, const json_t *series)
{
	const char *by = text_of(series, "by"), *name = text_of(row, "name");
	size_t n;
	double *points = source_points(series, &n);

	if (!points)
		points = points_of_run(m, row, by, &n);
	if (*name)
		add_line(m->table, copy_text(name), NAN)->title = true;
	for (size_t i = 0; i < n; i++)
		add_cells(m, row, point_name(by, points[i]),
			(struct source_point){ by, points[i] });
	if (!n)
		add_cells(m, row, copy_text("all"), (struct source_point){ NULL, NAN });
	free(points);
}

static const char *usual_machine(const json_t *source, const json_t *experiment)
{
	const char *own = text_of(experiment, "machine");
	void *first = json_object_iter(json_object_get(source, "machines"));

	return *own ? own : first ? json_object_iter_key(first) : "";
}

void source_table_fill(struct source_table *t, const json_t *source, const json_t *experiment,
	const struct run_data *run)
{
	const struct making m = { t, source, run, usual_machine(source, experiment) };
	const json_t *row;
	size_t i;

	*t = (struct source_table){ .experiment = experiment };
	make_columns(&m);
	json_array_foreach(rows_of(t), i, row) {
		const json_t *series = json_object_get(row, "series");
		if (series)
			add_series(&m, row, series);
		else
			add_cells(&m, row, copy_text(text_of(row, "name")),
				(struct source_point){ NULL, NAN });
	}
}

void source_table_free(struct source_table *t)
{
	for (size_t i = 0; i < t->nlines; i++) {
		for (size_t c = 0; t->lines[i].cells && c < t->ncolumns; c++)
			free(t->lines[i].cells[c].answer.reason);
		free(t->lines[i].cells);
		free(t->lines[i].name);
	}
	free(t->lines);
	free(t->columns);
}
