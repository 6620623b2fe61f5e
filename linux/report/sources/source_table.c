/* SPDX-License-Identifier: MIT */
/* A run's answers to a source's experiment, or the reasons why there is none, as tables. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/sources/source_table.h"
#include "lib/result_keys.h"
#include "linux/report/reading/results.h"
#include "lib/text.h"
#include "linux/report/sources/sources.h"

__attribute__((format(printf, 1, 2))) static char *says(const char *format, ...)
{
	size_t bytes;
	char *text;
	FILE *out = text_stream(&text, &bytes);
	va_list args;

	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fclose(out);
	return text;
}

/* The wanted value of a parameter; NAN: any value. */
static double wanted(const json_t *selector, struct source_point at, const char *name)
{
	if (at.by && !strcmp(name, at.by))
		return at.x;
	return row_parameter(selector, name);
}

/* Closeness of a skip line to the selector; -1: it is about something else. */
static int about(const json_t *skip, const json_t *selector, struct source_point at)
{
	const char *variant = text_of(skip, KEY_VARIANT), *level = text_of(skip, KEY_LEVEL);
	const char *name;
	json_t *value;
	int close = *variant != 0;

	if (strcmp(text_of(skip, KEY_PROBE), text_of(selector, KEY_PROBE)) ||
		(*variant && strcmp(variant, text_of(selector, KEY_VARIANT))) ||
		(*level && *text_of(selector, KEY_LEVEL) &&
			strcmp(level, text_of(selector, KEY_LEVEL))))
		return -1;
	json_object_foreach(json_object_get(skip, KEY_PARAMS), name, value) {
		double want = wanted(selector, at, name);
		if (!isnan(want) && strcmp(name, KEY_PAGE_BYTES) &&
			want != json_number_value(value))
			return -1;
		close += !isnan(want);
	}
	return close;
}

static const json_t *skip_of(const struct run_data *run, const json_t *selector,
	struct source_point at)
{
	const json_t *found = NULL;
	int closest = -1;

	for (size_t i = 0; i < run->skips.n; i++) {
		int close = about(run->skips.list[i].json, selector, at);
		if (close > closest) {
			closest = close;
			found = run->skips.list[i].json;
		}
	}
	return found;
}

/*
 * Returns true if the run was asked for it: its list of probes may name the probe or the variant.
 */
static bool asked_for(const struct run_data *run, const json_t *selector)
{
	const char *list = text_of(run->head, "probes"), *probe = text_of(selector, KEY_PROBE);
	char *both = says("%s:%s", probe, text_of(selector, KEY_VARIANT));
	bool asked = !*list || names_have(list, probe) || names_have(list, both);

	free(both);
	return asked;
}

static char *not_planned(const struct run_data *run, const json_t *selector)
{
	const char *source = text_of(run->head, KEY_SOURCE);
	char plan[PLAN_TEXT];

	run_plan_text(run->head, plan);
	if (*source)
		return says("not among the rows of run --source %s here", source);
	for (size_t i = 0; i < run->nrows; i++)
		if (!strcmp(run->rows[i].probe, text_of(selector, KEY_PROBE)) &&
			!strcmp(run->rows[i].variant, text_of(selector, KEY_VARIANT)))
			return says("no such point in %s", plan);
	return says("no such row in %s of build %s", plan, text_of(run->head, KEY_BUILD));
}

/* The reason why no row matches the selector: a skip line's, or the run's; the caller frees it. */
static char *source_absent(const struct run_data *run, const json_t *selector,
	struct source_point at)
{
	const json_t *skip = skip_of(run, selector, at);

	if (skip)
		return copy_text(text_of(skip, KEY_REASON));
	if (!asked_for(run, selector))
		return copy_text("not among the rows that the run was asked for");
	if (!run->end)
		return copy_text("the run was cut");
	if (strcmp(text_of(run->end, KEY_STATUS), "complete"))
		return says("the run was %s", text_of(run->end, KEY_STATUS));
	if (number_or(json_object_get(run->end, KEY_THINNED), KEY_ROWS, 0) > 0)
		return copy_text("not among the rows that this thinned result kept");
	return not_planned(run, selector);
}

/* The reason why a row lacks its member `of`; the caller frees it. */
static char *source_lacks(const struct run_data *run, const struct row_data *row, const char *of)
{
	if (!strncmp(of, "counts.", 7))
		return says("room %s did not count that", run->room);
	if (!strcmp(of, "p99"))
		return says("%.0f samples are too few for a 99th percentile", row->samples);
	return says("the row has no %s", of);
}

#define COMMON_PAGE (2 << 20)

static bool same_params(const json_t *selector, const json_t *row)
{
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(selector, KEY_PARAMS), name, value) {
		if (row_parameter(row, name) != json_number_value(value))
			return false;
	}
	return true;
}

/* Returns true if the row matches the selector, at any point of a series. */
static bool source_selects(const json_t *selector, const struct row_data *row)
{
	const char *level = text_of(selector, KEY_LEVEL);
	double least = number_of(selector, "pages_least");

	return !strcmp(row->probe, text_of(selector, KEY_PROBE)) &&
		!strcmp(row->variant, text_of(selector, KEY_VARIANT)) &&
		(!*level || !strcmp(row->level, level)) && same_params(selector, row->json) &&
		!(row_parameter(row->json, KEY_PAGE_BYTES) < least) &&
		row_parameter(row->json, "prefetch") != 0;
}

/* A count per operation, since counts are of all samples. */
static double counted(const struct row_data *row, const char *name)
{
	const json_t *counts = json_object_get(row->json, KEY_COUNTS);

	if (!strcmp(name, "ipc"))
		return number_of(counts, "instructions") / number_of(counts, "core_cycles");
	return number_of(counts, name) / row->ops;
}

/* A number of the row; docs/format.md, "linux/report/sources/sources.json", lists them. */
static double member(const struct row_data *row, const char *of)
{
	if (!strncmp(of, "params.", 7))
		return row_parameter(row->json, of + 7);
	if (!strncmp(of, "more.", 5))
		return number_of(json_object_get(row->json, KEY_MORE), of + 5);
	if (!strncmp(of, "counts.", 7))
		return counted(row, of + 7);
	return number_of(row->json, of);
}

/* The statistic: the selector's own, else the quantity's. */
static const char *statistic(const json_t *selector, const json_t *quantity)
{
	const char *own = text_of(selector, "of"), *usual = text_of(quantity, "of");

	return *own ? own : *usual ? usual : "median";
}

static double factor(const json_t *selector, const json_t *quantity)
{
	return number_or(selector, "times", number_or(quantity, "times", 1));
}

/*
 * Rank of the page size: 2 MiB, which all rooms can have, before larger ones; those before smaller
 * ones.
 */
static int page_rank(const struct row_data *row)
{
	double page = row_parameter(row->json, KEY_PAGE_BYTES);

	return page == COMMON_PAGE ? 2 : page > COMMON_PAGE ? 1 : 0;
}

#define SATURATED      "saturated"
#define SATURATED_FROM 0.95 /* of the largest GB/s */

/* Returns true if the row matches the selector and lies at this point of a series. */
static bool is_at(const json_t *selector, const struct row_data *row, struct source_point at)
{
	return source_selects(selector, row) && (!at.by || row_parameter(row->json, at.by) == at.x);
}

/* The rate from which on a row counts as saturated; NAN: any row does. */
static double rate_wanted(const struct run_data *run, const json_t *selector,
	struct source_point at)
{
	double most = NAN;

	if (strcmp(text_of(selector, "pick"), SATURATED))
		return NAN;
	for (size_t i = 0; i < run->nrows; i++)
		if (is_at(selector, &run->rows[i], at))
			most = fmax(most, member(&run->rows[i], "more.gb_per_s"));
	return SATURATED_FROM * most;
}

/* Returns true if the row is a better answer than the one before. */
static bool better(const json_t *selector, const struct row_data *row,
	const struct row_data *before, const char *of)
{
	const char *pick = text_of(selector, "pick");

	if (!before)
		return true;
	if (!strcmp(pick, "most"))
		return member(row, of) > member(before, of);
	if (!strcmp(pick, "least") || !strcmp(pick, SATURATED))
		return member(row, of) < member(before, of);
	return page_rank(row) > page_rank(before);
}

static struct source_answer no_answer(char *reason)
{
	return (struct source_answer){ .value = NAN, .low = NAN, .high = NAN, .reason = reason };
}

static struct source_answer from_row(const struct run_data *run, const json_t *selector,
	const json_t *quantity, struct source_point at)
{
	const char *of = statistic(selector, quantity);
	const struct row_data *row = NULL;
	double value, least = rate_wanted(run, selector, at);

	for (size_t i = 0; i < run->nrows; i++) {
		const struct row_data *other = &run->rows[i];
		if (is_at(selector, other, at) && !(member(other, "more.gb_per_s") < least) &&
			better(selector, other, row, of))
			row = other;
	}
	if (!row)
		return no_answer(source_absent(run, selector, at));
	value = member(row, of) * factor(selector, quantity);
	if (isnan(value))
		return no_answer(source_lacks(run, row, of));
	return (struct source_answer){ .value = value, .low = NAN, .high = NAN, .row = row };
}

static struct source_answer from_summary(const struct run_data *run, const json_t *selector,
	const json_t *quantity)
{
	const json_t *line = run_summary(run, value_by_name(text_of(selector, "summary")));
	double by = factor(selector, quantity);
	/* Counts are exact if the bracket is one step: there is nothing between. */
	bool exact = number_of(line, KEY_HIGH) - number_of(line, KEY_LOW) <= 1;

	if (isnan(number_of(line, KEY_VALUE)))
		return no_answer(copy_text(!line             ? "this run has no such summary value"
				: *text_of(line, KEY_REASON) ? text_of(line, KEY_REASON)
							     : "not resolved"));
	return (struct source_answer){ .value = number_of(line, KEY_VALUE) * by,
		.low = exact ? NAN : number_of(line, KEY_LOW) * by,
		.high = exact ? NAN : number_of(line, KEY_HIGH) * by,
		.summary = line,
		.times = by };
}

/*
 * Answer a selector (member `ours` of sources.json) from the run. Of several rows, the row with
 * pages of 2 MiB is taken, else the one with the largest; with its member `pick`, the row with the
 * `most` or `least` value, or the least from which on the rate does not rise (`saturated`).
 */
static struct source_answer source_answer_of(const struct run_data *run, const json_t *selector,
	const json_t *quantity, struct source_point at)
{
	const json_t *over = json_object_get(selector, "over");
	struct source_answer a = *text_of(selector, "summary")
		? from_summary(run, selector, quantity)
		: from_row(run, selector, quantity, at);

	if (!over || a.reason)
		return a;
	struct source_answer b = source_answer_of(run, over, quantity, at);
	a.value /= b.value;
	a.reason = b.reason;
	return a;
}

/* The input for a table. */
struct making {
	struct source_table *table;
	const json_t *source;
	const struct run_data *run;
	const char *machine; /* machine of figures that name none */
};

static const json_t *experiment_rows(const struct source_table *t)
{
	return json_object_get(t->experiment, "rows");
}

/* A row's figures on a machine: by machine, or of the source's usual machine. */
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

	json_array_foreach(experiment_rows(m->table), i, row) {
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

/* The selector for the quantity; NULL: nothing is asked. */
static const json_t *selector_of(const json_t *row, size_t quantity)
{
	const json_t *ours = json_object_get(row, "ours");

	return json_is_array(ours) ? known(json_array_get(ours, quantity)) : ours;
}

/* Returns true if a row asks the run for the quantity. */
static bool any_asked(const struct making *m, size_t quantity)
{
	const json_t *row;
	size_t i;

	json_array_foreach(experiment_rows(m->table), i, row)
		if (selector_of(row, quantity))
			return true;
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
		if (any_asked(m, i))
			add_column(m->table, quantity, i, NULL);
	}
}

static struct source_cell own_cell(const struct making *m, const json_t *row,
	const struct source_column *column, struct source_point at)
{
	const json_t *selector = selector_of(row, column->at);
	struct source_cell cell = { .asked = selector };

	if (selector)
		cell.answer = source_answer_of(m->run, selector, column->quantity, at);
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

/* The points for which the run has a matching row, each once. */
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

static void add_point(double **points, size_t *n, double x)
{
	double *point = grow((void **)points, n, sizeof *point);

	*point = x;
}

/*
 * The n points of a series' parameter, ascending; the caller frees them. n 0: the result's points.
 */
static double *source_points(const json_t *series, size_t *n)
{
	const json_t *listed = json_object_get(series, "points"), *point;
	double from = number_of(series, "from"), to = number_of(series, "to"), *points = NULL;
	size_t i;

	*n = 0;
	json_array_foreach(listed, i, point)
		add_point(&points, n, json_number_value(point));
	if (!listed && from > 0)
		for (double x = from; x <= to; x *= 2)
			add_point(&points, n, x);
	return points;
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
	json_array_foreach(experiment_rows(t), i, row) {
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
