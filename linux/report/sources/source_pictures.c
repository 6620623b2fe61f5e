/* SPDX-License-Identifier: MIT */
/* From a source's tables to its pictures: docs/format.md has the members of a picture. */
#include "linux/report/sources/source_pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "linux/report/compare/sets.h"
#include "linux/report/sources/source_table.h"
#include "page/html.h"
#include "page/page_memory.h"
#include "page/page_parts.h"

#define NOTE_TEXT 320
#define DOTTED    4 /* colour of the curve that another experiment lends */

/* A picture of one run is being made. */
struct plotting {
	const json_t *source, *picture;
	const struct run_data *run;
	const struct subjects *of; /* the run alone */
	struct chart chart;
	size_t absent; /* points that the run lacks */
	size_t words;  /* figures that are no numbers */
	bool crosses;  /* there are some */
	char note[NOTE_TEXT];
};

/* A series of a table has the lines from `first` to before `end`. */
struct table_part {
	const struct source_table *table;
	size_t first, end;
	const char *name; /* of its curve */
};

static const json_t *experiment_of(const json_t *source, const char *name)
{
	const json_t *experiment;
	size_t i;

	json_array_foreach(json_object_get(source, "experiments"), i, experiment)
		if (!strcmp(text_of(experiment, "name"), name))
			return experiment;
	return NULL;
}

static const json_t *quantity_of(const struct source_table *t, size_t quantity)
{
	return json_array_get(json_object_get(t->experiment, "quantities"), quantity);
}

static const char *name_of(const struct source_table *t, size_t quantity)
{
	return text_of(quantity_of(t, quantity), "name");
}

/* Returns true if the quantity is an end of the band around the others. */
static bool is_end(const struct source_table *t, size_t quantity)
{
	return !strcmp(name_of(t, quantity), "min") || !strcmp(name_of(t, quantity), "max");
}

/* Returns the number of the quantity's curve, which is its colour, or -1: it has no curve. */
static long curve_of(const json_t *columns, const struct source_table *t, size_t quantity)
{
	const json_t *column;
	long at = 0;
	size_t i;

	json_array_foreach(columns, i, column)
		if (json_integer_value(column) == (json_int_t)quantity)
			return (long)i;
	if (columns || is_end(t, quantity))
		return -1;
	for (size_t q = 0; q < quantity; q++)
		at += !is_end(t, q);
	return at;
}

/* Finds the next series from line *at on, and moves *at behind it. false: there is none. */
static bool next_part(const struct source_table *t, size_t *at, struct table_part *part)
{
	while (*at < t->nlines && (t->lines[*at].title || isnan(t->lines[*at].x)))
		++*at;
	if (*at == t->nlines)
		return false;
	*part = (struct table_part){ t, *at, *at,
		*at && t->lines[*at - 1].title ? t->lines[*at - 1].name : "" };
	while (*at < t->nlines && !t->lines[*at].title && !isnan(t->lines[*at].x))
		part->end = ++*at;
	return true;
}

/* Returns the number in a cell, published or the run's, or NAN. */
static double number_in(const struct source_table *t, const struct source_line *line, size_t column)
{
	const struct source_cell *cell = &line->cells[column];

	if (t->columns[column].machine)
		return json_is_number(cell->figure) ? json_number_value(cell->figure) : NAN;
	return cell->asked ? cell->answer.value : NAN;
}

/* Returns the number of the same line and machine in the column of that name, or NAN. */
static double named_number(const struct source_table *t, const struct source_line *line,
	const char *machine, const char *name)
{
	for (size_t c = 0; c < t->ncolumns; c++) {
		const char *other = t->columns[c].machine;
		if (!strcmp(name_of(t, t->columns[c].at), name) && !machine == !other &&
			(!machine || !strcmp(machine, other)))
			return number_in(t, line, c);
	}
	return NAN;
}

/*
 * Set the ends of the band: the columns "min" and "max" if the table has them, else those of the
 * row, in the proportion of the value: `row`, or of its inverse, a rate of a time.
 */
static void set_band(const struct plotting *p, const struct source_table *t,
	const struct source_line *line, size_t column, struct chart_point *point)
{
	const char *band = text_of(p->picture, "band"), *machine = t->columns[column].machine;
	const struct row_data *row = machine ? NULL : line->cells[column].answer.row;

	point->low = named_number(t, line, machine, "min");
	point->high = named_number(t, line, machine, "max");
	if (!*band || !row || !(row->min > 0))
		return;
	if (!strcmp(band, "row")) {
		point->low = point->y * row->min / row->median;
		point->high = point->y * row->max / row->median;
	} else {
		point->low = point->y * row->median / row->max;
		point->high = point->y * row->median / row->min;
	}
}

static char *figure_words(const struct source_table *t, const struct source_line *line,
	size_t column, double value)
{
	char text[160];

	text_format(text, sizeof text, "%s: %.6g %s, %s %s", t->columns[column].machine, value,
		text_of(quantity_of(t, t->columns[column].at), "unit"), line->name,
		name_of(t, t->columns[column].at));
	return page_text(text);
}

/* Returns the number of the row that an answer is from, or -1. */
static long row_number(const struct plotting *p, const struct source_answer *a)
{
	return a->row ? a->row - p->run->rows : -1;
}

static void count_missing(struct plotting *p, const struct source_cell *cell)
{
	p->absent += cell->asked && cell->answer.reason;
	p->words += json_is_string(cell->figure);
}

static void add_series(struct plotting *p, struct chart_series series)
{
	*(struct chart_series *)page_grow((void **)&p->chart.series, &p->chart.n, sizeof series) =
		series;
}

static void add_mark(struct plotting *p, struct mark mark, const char *label)
{
	mark.colour = COLOURS;
	mark.label = page_text(label);
	*(struct mark *)page_grow((void **)&p->chart.marks, &p->chart.nmarks, sizeof mark) = mark;
}

/* Returns true if the source printed a number of this machine in the table. */
static bool has_number(const struct source_table *t, const char *machine)
{
	for (size_t i = 0; i < t->nlines; i++)
		for (size_t c = 0; t->lines[i].cells && c < t->ncolumns; c++)
			if (t->columns[c].machine == machine &&
				!isnan(number_in(t, &t->lines[i], c)))
				return true;
	return false;
}

/*
 * Returns the number of a column's machine among those of the table with a number; *all: how many
 * there are.
 */
static unsigned machine_of(const struct source_table *t, size_t column, unsigned *all)
{
	unsigned own = 0;

	*all = 0;
	for (size_t c = 0; c < t->ncolumns; c++) {
		size_t before = 0;

		while (before < c && t->columns[before].machine != t->columns[c].machine)
			before++;
		if (before < c || !t->columns[c].machine || !has_number(t, t->columns[c].machine))
			continue;
		if (t->columns[c].machine == t->columns[column].machine)
			own = *all;
		++*all;
	}
	return own;
}

/* Returns the machine of crosses, which is their name, or "" if others have that name. */
static const char *crosses_name(const struct plotting *p, const char *machine)
{
	for (size_t i = 0; i < p->chart.n; i++)
		if (p->chart.series[i].form == FORM_CROSSES &&
			!strcmp(p->chart.series[i].label, machine))
			return "";
	return machine;
}

/* Crosses have the colour of their curve if all are of one machine, else one of their machine. */
static void add_crosses(struct plotting *p, const struct source_table *t, size_t column,
	struct chart_series *series)
{
	unsigned all, own = machine_of(t, column, &all), curves = 0;

	for (size_t i = 0; i < p->chart.n; i++)
		curves += p->chart.series[i].form != FORM_CROSSES;
	series->label = page_text(crosses_name(p, t->columns[column].machine));
	series->form = FORM_CROSSES;
	series->dash = 0;
	if (all > 1)
		series->colour = (curves + own) % COLOURS;
	p->crosses = true;
	add_series(p, *series);
}

/* Add a column of a series: a curve of the run, or crosses. */
static void add_column(struct plotting *p, const struct table_part *part, size_t column,
	unsigned colour)
{
	const struct source_table *t = part->table;
	const char *machine = t->columns[column].machine;
	struct chart_point *points = NULL;
	size_t n = 0;

	for (size_t i = part->first; i < part->end; i++) {
		const struct source_line *line = &t->lines[i];
		const struct source_answer *a = &line->cells[column].answer;
		double y = number_in(t, line, column);

		count_missing(p, &line->cells[column]);
		if (isnan(y))
			continue;
		struct chart_point *point = page_grow((void **)&points, &n, sizeof *points);
		*point = (struct chart_point){ .x = line->x,
			.y = y,
			.row = row_number(p, a),
			.text = machine ? figure_words(t, line, column, y) : NULL };
		set_band(p, t, line, column, point);
	}
	if (!n)
		return;
	struct chart_series series = { "", FORM_LINE, colour % COLOURS, colour / COLOURS,
		p->of->list->index, points, n };
	if (machine) {
		add_crosses(p, t, column, &series);
		return;
	}
	series.label = page_text(part->name);
	add_series(p, series);
}

/* Add the curves of the experiment's series, or the crosses of its figures. */
static void add_table(struct plotting *p, const struct source_table *t, bool crosses)
{
	const json_t *columns = json_object_get(p->picture, "columns");
	struct table_part part;
	unsigned series = 0;
	size_t at = 0;
	bool several = next_part(t, &at, &part) && next_part(t, &at, &part);

	for (at = 0; next_part(t, &at, &part); series++)
		for (size_t c = 0; c < t->ncolumns; c++) {
			long curve = curve_of(columns, t, t->columns[c].at);

			if (!several)
				part.name = name_of(t, t->columns[c].at);
			if (curve >= 0 && !t->columns[c].machine == !crosses)
				add_column(p, &part, c, several ? series : (unsigned)curve);
		}
}

/*
 * Add the figures of another experiment: its n-th series has those of the n-th quantity, in the
 * first of its own.
 */
static void add_figures(struct plotting *p, const struct source_table *curves)
{
	const json_t *columns = json_object_get(p->picture, "columns"),
		     *other = experiment_of(p->source, text_of(p->picture, "figures"));
	struct source_table t;
	struct table_part part;
	size_t at = 0;

	if (!other)
		return;
	source_table_fill(&t, p->source, other, p->run);
	for (size_t n = 0; next_part(&t, &at, &part); n++)
		for (size_t c = 0; c < t.ncolumns; c++)
			if (t.columns[c].machine && t.columns[c].at == 0 &&
				curve_of(columns, curves, n) >= 0)
				add_column(p, &part, c, (unsigned)curve_of(columns, curves, n));
	source_table_free(&t);
}

/* Add a dotted curve of another experiment: [experiment, quantity, name]. */
static void add_dotted(struct plotting *p)
{
	const json_t *dotted = json_object_get(p->picture, "dotted");
	const json_t *other = experiment_of(p->source,
		dotted ? json_string_value(json_array_get(dotted, 0)) : "");
	json_int_t quantity = json_integer_value(json_array_get(dotted, 1));
	struct source_table t;
	struct table_part part;
	size_t at = 0, before = p->chart.n;

	if (!other)
		return;
	source_table_fill(&t, p->source, other, p->run);
	bool any = next_part(&t, &at, &part);

	part.name = json_string_value(json_array_get(dotted, 2));
	for (size_t c = 0; any && c < t.ncolumns; c++)
		if (!t.columns[c].machine && t.columns[c].at == (size_t)quantity)
			add_column(p, &part, c, DOTTED);
	if (p->chart.n > before)
		((struct chart_series *)p->chart.series)[before].dash = 2;
	source_table_free(&t);
}

static void add_line_at(struct plotting *p, const json_t *figure, const char *machine, bool across)
{
	double at = json_number_value(figure);
	char text[64], number[TICK_TEXT];

	if (!json_is_number(figure))
		return;
	axis_text(across ? &p->chart.y : &p->chart.x, at, number);
	text_format(text, sizeof text, "%s %s", machine, number);
	add_mark(p, (struct mark){ at, .at_y = across, .claimed = true }, text);
}

/*
 * Add lines across, or down, at the figures of a row of another experiment, in its first quantity:
 * [experiment, row].
 */
static void add_lines(struct plotting *p, const char *which, bool across)
{
	const json_t *lines = json_object_get(p->picture, which), *row;
	const json_t *other =
		experiment_of(p->source, lines ? json_string_value(json_array_get(lines, 0)) : "");
	const char *machine;
	json_t *those;
	size_t i;

	json_array_foreach(json_object_get(other, "rows"), i, row) {
		json_t *figures = json_object_get(row, "figures");

		if (strcmp(text_of(row, "name"), json_string_value(json_array_get(lines, 1))))
			continue;
		add_line_at(p, json_array_get(figures, 0), "there", across);
		json_object_foreach(figures, machine, those)
			add_line_at(p, json_array_get(those, 0), machine, across);
	}
}

static struct axis axis_by(const json_t *picture, const char *which)
{
	static const char *const kinds[] = { "linear", "log", "bytes", "count" };
	const json_t *axis = json_object_get(picture, which);
	const char *kind = json_string_value(json_array_get(axis, 0));
	unsigned at = 0;

	while (kind && at < AXIS_COUNT && strcmp(kind, kinds[at]))
		at++;
	return axis_empty((enum axis_kind)at, json_string_value(json_array_get(axis, 1)));
}

static void draw_curves(struct plotting *p, const struct source_table *t, struct drawing *drawing)
{
	const struct picture levels = { .marks = "L1 l1d_bytes|L2 l2_bytes|L3 l3_bytes|L4 l4_bytes",
		.x_axis = p->chart.x };

	add_table(p, t, false);
	if (!p->chart.n)
		return;
	add_dotted(p);
	add_table(p, t, true);
	add_figures(p, t);
	add_lines(p, "across", true);
	add_lines(p, "down", false);
	if (json_is_true(json_object_get(p->picture, "levels")))
		picture_marks(&levels, p->of, &p->chart);
	picture_cover(&p->chart, &p->chart);
	picture_finish(drawing, &p->chart);
}

#define TAIL         0.999 /* share of the samples at which the axis ends */
#define SHARE_POINTS 200   /* more than the picture can show apart */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void add_share(struct plotting *p, struct chart_point **points, size_t *n, double x,
	double share)
{
	char text[80];

	text_format(text, sizeof text, "%.6g %s or less: %.4g %% of the samples", x,
		p->chart.x.name, 100 * share);
	*(struct chart_point *)page_grow((void **)points, n, sizeof **points) =
		(struct chart_point){ x, share, NAN, NAN, -1, page_text(text) };
	axis_cover(&p->chart.x, x);
}

/* Adds the curve of the row's samples up to TAIL, and says in words what lies beyond it. */
static void add_shares(struct plotting *p, const struct row_data *row)
{
	double *values = new_array(row->nvalues + 1, sizeof *values);
	struct chart_point *points = NULL;
	size_t n = 0, last = (size_t)((double)row->nvalues * TAIL), step;

	memcpy(values, row->values, row->nvalues * sizeof *values);
	qsort(values, row->nvalues, sizeof *values, ascending);
	step = last / SHARE_POINTS + 1;
	for (size_t i = 0; i < last; i += step)
		add_share(p, &points, &n, values[i], ((double)i + 1) / (double)row->nvalues);
	if (last)
		add_share(p, &points, &n, values[last - 1], (double)last / (double)row->nvalues);
	if (!row->nvalues) {
		add_share(p, &points, &n, row->min, 0);
		add_share(p, &points, &n, row->median, 0.5);
		add_share(p, &points, &n, row->p90, 0.9);
		if (!isnan(row->p99))
			add_share(p, &points, &n, row->p99, 0.99);
	}
	add_series(p,
		(struct chart_series){ .label = page_text(""),
			.form = row->nvalues ? FORM_STEPS : FORM_LARGE_POINTS,
			.points = points,
			.n = n });
	text_format(p->note, NOTE_TEXT,
		row->nvalues ? " The axis ends at the 99.9th percentile: of %zu samples %zu lie "
			       "beyond, the longest at %.4g %s."
			     : " The result has no samples: these are their percentiles.",
		row->nvalues, row->nvalues - last, row->nvalues ? values[row->nvalues - 1] : 0,
		p->chart.x.name);
	free(values);
}

/* Mark a number of the run; the figure of the same name is a cross, in proportion to the minima. */
static void add_named(struct plotting *p, const struct source_table *t, const char *name,
	double share, double scale)
{
	const struct source_line *line = &t->lines[0];
	char text[64], number[TICK_TEXT];
	double ours = named_number(t, line, NULL, name);

	text_format(number, sizeof number, "%.3g", ours);
	text_format(text, sizeof text, "%s %s", name, number);
	if (!isnan(ours))
		add_mark(p, (struct mark){ ours }, text);
	for (size_t c = 0; c < t->ncolumns; c++) {
		double figure = number_in(t, line, c);
		struct chart_series cross = { .colour = 1, .n = 1 };
		struct chart_point *point;

		if (!t->columns[c].machine || strcmp(name_of(t, t->columns[c].at), name) ||
			isnan(figure) || isnan(scale))
			continue;
		axis_cover(&p->chart.x, figure * scale);
		if (isnan(share)) {
			add_mark(p, (struct mark){ figure * scale, .claimed = true }, "mean there");
			continue;
		}
		point = page_new(1, sizeof *point);
		*point = (struct chart_point){ figure * scale, share, NAN, NAN, -1,
			figure_words(t, line, c, figure) };
		cross.points = point;
		add_crosses(p, t, c, &cross);
	}
}

static void draw_distribution(struct plotting *p, const struct source_table *t,
	struct drawing *drawing)
{
	const struct row_data *row = NULL;
	const char *machine = NULL;
	double least;

	for (size_t c = 0; t->nlines && c < t->ncolumns; c++)
		if (t->columns[c].machine)
			machine = t->columns[c].machine;
		else if (!row)
			row = t->lines[0].cells[c].answer.row;
	if (!row)
		return;
	add_shares(p, row);
	least = named_number(t, &t->lines[0], machine, "min");
	add_named(p, t, "min", 0, row->min / least);
	add_named(p, t, "p50", 0.5, row->min / least);
	add_named(p, t, "p99", 0.99, row->min / least);
	add_named(p, t, "mean", NAN, row->min / least);
	axis_cover(&p->chart.y, 0);
	axis_cover(&p->chart.y, 1);
	picture_finish(drawing, &p->chart);
}

static void add_bar(struct plotting *p, const struct source_line *line,
	const struct source_answer *value, double to, struct dots *dots)
{
	*(struct dot *)page_grow((void **)&dots->dots, &dots->n, sizeof(struct dot)) =
		(struct dot){ (unsigned)dots->nlines,
			{ value->value, 0, value->value, to, row_number(p, value), NULL }, 0,
			p->of->list->index };
	*(char **)page_grow((void **)&dots->lines, &dots->nlines, sizeof(char *)) =
		page_text(line->name);
	axis_cover(&dots->axis, value->value);
	axis_cover(&dots->axis, to);
}

/*
 * Rows that are no series, as bars of the first quantity; a line goes on to the one that `end`
 * names.
 */
static void draw_bars(struct plotting *p, const struct source_table *t, struct drawing *drawing)
{
	struct dots dots = { .title = p->chart.title,
		.note = p->chart.note,
		.axis = p->chart.x,
		.values = true,
		.bars = true };
	const char *end = text_of(p->picture, "end");

	for (size_t i = 0; i < t->nlines; i++)
		for (size_t c = 0; t->lines[i].cells && c < t->ncolumns; c++) {
			const struct source_cell *cell = &t->lines[i].cells[c];

			if (t->columns[c].machine || t->columns[c].at != 0)
				continue;
			count_missing(p, cell);
			if (!isnan(number_in(t, &t->lines[i], c)))
				add_bar(p, &t->lines[i], &cell->answer,
					named_number(t, &t->lines[i], NULL, end), &dots);
		}
	axis_cover(&dots.axis, 0);
	*drawing = (struct drawing){ .kind = DRAW_DOTS, .dots = dots };
	if (!dots.n || !axis_ready(&drawing->dots.axis))
		drawing_free(drawing);
}

/* Add to the note what the crosses are, and what is not in the picture. */
static void note_rest(struct plotting *p)
{
	char absent[80] = "", words[80] = "";
	size_t used = strlen(p->note);

	if (p->absent)
		text_format(absent, sizeof absent, " Points not measured: %zu; the table says why.",
			p->absent);
	if (p->words)
		text_format(words, sizeof words, " Figures in words, in the table only: %zu.",
			p->words);
	text_format(p->note + used, NOTE_TEXT - used, "%s%s%s",
		p->crosses ? " Crosses: the source's figures." : "", absent, words);
}

/* Returns how many points the run has in the picture. */
static size_t points_of(const struct chart *chart)
{
	size_t n = 0;

	for (size_t i = 0; i < chart->n; i++)
		n += chart->series[i].form == FORM_CROSSES ? 0 : chart->series[i].n;
	return n;
}

/* Make the picture of one run; unless it is asked for, none if most points were not measured. */
static struct drawing make(struct plotting *p, bool asked)
{
	const json_t *experiment = experiment_of(p->source, text_of(p->picture, "experiment"));
	const char *form = text_of(p->picture, "form");
	struct drawing drawing = { .kind = DRAW_NOTHING };
	struct source_table t;

	p->chart = (struct chart){ .title = text_of(p->picture, "title"),
		.note = p->of->note,
		.x = axis_by(p->picture, "x"),
		.y = axis_by(p->picture, "y") };
	source_table_fill(&t, p->source, experiment, p->run);
	if (!strcmp(form, "bars"))
		draw_bars(p, &t, &drawing);
	else if (!strcmp(form, "distribution"))
		draw_distribution(p, &t, &drawing);
	else
		draw_curves(p, &t, &drawing);
	source_table_free(&t);
	note_rest(p);
	if (!asked && drawing.kind == DRAW_CHART && points_of(&drawing.chart) < p->absent)
		drawing_free(&drawing);
	return drawing;
}

static struct axis *axis_of(struct drawing *d, bool across)
{
	if (d->kind == DRAW_DOTS)
		return across ? &d->dots.axis : NULL;
	return d->kind != DRAW_CHART ? NULL : across ? &d->chart.x : &d->chart.y;
}

/* Give the pictures of several runs one scale. */
static void share_axis(struct drawing *drawings, size_t n, bool across)
{
	struct axis shared, *own, *first = NULL;

	for (size_t i = 0; i < n; i++)
		if ((own = axis_of(&drawings[i], across))) {
			if (!first)
				shared = *(first = own);
			axis_cover(&shared, own->low);
			axis_cover(&shared, own->high);
		}
	for (size_t i = 0; i < n; i++)
		if ((own = axis_of(&drawings[i], across)))
			*own = shared;
}

/* Returns true if a run measured a source's rows; `letter`: it must be that source. */
static bool any_of(const struct source_asked *asked, const char *letter)
{
	for (size_t i = 0; i < asked->subjects->n; i++) {
		const char *own = text_of(asked->runs[i]->head, KEY_SOURCE);
		if (*own && (!letter || !strcmp(own, letter)))
			return true;
	}
	return false;
}

/* Write a picture, of each run by itself. Returns false if no run has anything of it. */
static bool put_picture(const struct source_asked *of, const json_t *source, size_t which,
	struct sink *out)
{
	const json_t *picture = json_array_get(json_object_get(source, "pictures"), which);
	size_t n = of->subjects->n, drawn = 0;
	struct drawing *drawings = page_new(n, sizeof *drawings);
	struct plotting *plots = page_new(n, sizeof *plots);
	struct subjects *alone = page_new(n, sizeof *alone);
	struct subject *own = page_new(n, sizeof *own); /* without a tag: a picture has one run */
	char name[48], about[2 * NOTE_TEXT], without[2 * SETS_MOST + 1] = "";

	for (size_t i = 0; i < n; i++) {
		alone[i] = subject_alone(of->subjects, i);
		own[i] = of->subjects->list[i];
		own[i].tag[0] = 0;
		alone[i].list = &own[i];
		plots[i] = (struct plotting){
			.source = source, .picture = picture, .run = of->runs[i], .of = &alone[i]
		};
		drawings[i] = make(&plots[i], *of->letter || any_of(of, NULL));
		drawn += drawings[i].kind != DRAW_NOTHING;
		size_t used = strlen(without);
		if (drawings[i].kind == DRAW_NOTHING)
			text_format(without + used, sizeof without - used, " %c",
				alone[i].list->letter);
	}
	share_axis(drawings, n, true);
	share_axis(drawings, n, false);
	html_put(out, drawn > 1 ? "<div class=\"machines\">" : "");
	for (size_t i = 0; i < n; i++) {
		if (drawings[i].kind == DRAW_NOTHING)
			continue;
		text_format(name, sizeof name, "source-%s-%zu", text_of(source, "letter"),
			which + 1);
		text_format(about, sizeof about, "%s%s%s%s%s", text_of(picture, "about"),
			plots[i].note, *without ? " Not measured in" : "", without,
			*without ? "." : "");
		page_figure(name, text_of(picture, "title"), "", about, n > 1 ? &alone[i] : NULL,
			&drawings[i], out);
	}
	html_put(out, drawn > 1 ? "</div>\n" : "");
	page_free(drawings);
	page_free(plots);
	page_free(alone);
	page_free(own);
	return drawn;
}

static void say(void *to, const char *text, size_t n)
{
	fwrite(text, 1, n, to);
}

/*
 * The source's pictures as text, which the caller frees; "": the runs have nothing of any. What
 * cannot be drawn is named at the end.
 */
static char *pictures_text(const struct source_asked *of, const json_t *source)
{
	const json_t *pictures = json_object_get(source, "pictures"), *picture;
	char *text, *missing;
	size_t i, bytes, drawn = 0, all = json_array_size(pictures);
	FILE *out = text_stream(&text, &bytes), *rest = text_stream(&missing, &bytes);
	struct sink to = { say, out }, to_rest = { say, rest };

	json_array_foreach(pictures, i, picture) {
		bool any = put_picture(of, source, i, &to);
		if (!any)
			sink_put(&to_rest, "; ");
		html_text(&to_rest, any ? "" : text_of(picture, "title"));
		drawn += any;
	}
	fclose(rest);
	html_put(&to, "</div>\n");
	if (drawn < all) {
		html_put(&to, "<p>Nothing, or too little, was measured for: ");
		html_put(&to, missing + 2);
		html_put(&to, "</p>\n");
	}
	fclose(out);
	free(missing);
	if (!drawn)
		*text = 0;
	return text;
}

/* Write a source's section, with the pictures as text; "": there are none. */
static void put_section(const json_t *source, const char *text, struct sink *out)
{
	const char *letter = text_of(source, "letter");

	sink_put(out, "<section class=\"probe\" id=\"source-%s\"><h2>Source %s: ", letter, letter);
	html_text(out, text_of(source, "title"));
	sink_put(out,
		"</h2><p><code>anechoic show --source %s</code> prints the tables that these "
		"pictures are drawn from, with their parameters there and here.</p>\n"
		"<div class=\"pictures\">\n",
		letter);
	html_put(out, *text ? text : "</div><p>The runs have nothing of it.</p>\n");
	html_put(out, "</section>\n");
}

/* Returns true if the source is shown, if it has pictures: that of the run, else all. */
static bool is_chosen(const struct source_asked *asked, const char *letter)
{
	if (*asked->letter)
		return !strcmp(asked->letter, letter);
	return any_of(asked, letter) || !any_of(asked, NULL);
}

/* Returns true if the pictures, one for each run, would be most of the page unasked. */
static bool is_too_many(const struct source_asked *asked)
{
	return !*asked->letter && asked->subjects->n > PICTURE_SETS;
}

void source_sections(const struct source_asked *asked, char **sections, char **links)
{
	size_t i, bytes;
	FILE *out = text_stream(sections, &bytes), *list = text_stream(links, &bytes);
	struct sink to = { say, out };
	const json_t *source;

	if (is_too_many(asked))
		html_put(&to,
			"<p>Of so many runs the sources' own plots are left out: <code>anechoic "
			"report --source LETTER</code> draws them.</p>\n");
	json_array_foreach(asked->sources, i, source) {
		const char *letter = text_of(source, "letter");
		char *text;

		if (is_too_many(asked) || !is_chosen(asked, letter))
			continue;
		text = pictures_text(asked, source);
		if (*text || *asked->letter) {
			put_section(source, text, &to);
			fprintf(list, "<a href=\"#source-%s\">source %s</a>\n", letter, letter);
		}
		free(text);
	}
	fclose(list);
	fclose(out);
}
