/* SPDX-License-Identifier: MIT */
/*
 * From rows to the numbers of a picture: the choice of rows, curves, the clock, the ladder of gaps;
 * and the drawing.
 */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/stats.h"
#include "lib/text.h"
#include "page/page_memory.h"
#include "page/pictures.h"

/*
 * Returns true for rows measured again at an edge, or without prefetchers: they are another curve.
 */
static bool measured_again(const struct result_row *row)
{
	return result_parameter(row, "again") > 0 || result_parameter(row, "prefetch") == 0;
}

bool row_is_noise(const struct result_row *row)
{
	const double *of = row->numbers;
	double low = math_finite(of[ROW_p10]) ? of[ROW_p10] : of[ROW_min];
	bool time = strlen(row->unit) > 3 && !memcmp(row->unit, "ns/", 3);

	return stats_are_noise(of[ROW_min], low, of[ROW_median], of[ROW_p90]) ||
		(time && of[ROW_median] < 0);
}

static bool is_of(const struct picture *picture, const struct result_row *row)
{
	return !strcmp(row->probe, picture->probe) &&
		(!*picture->variants || names_have(picture->variants, row->variant));
}

/* The largest value of the parameter in the picture's rows of the run. */
static double largest(const struct picture *picture, const struct shown_run *run, const char *name)
{
	double most = NOT_A_NUMBER;

	for (size_t i = 0; i < run->nrows; i++) {
		if (!is_of(picture, &run->rows[i]))
			continue;
		double value = result_parameter(&run->rows[i], name);
		if (!(value <= most) && math_finite(value))
			most = value;
	}
	return most;
}

struct picture_rows picture_rows_of(const struct picture *picture, const struct shown_run *run)
{
	struct picture_rows rows = { picture, NOT_A_NUMBER, NOT_A_NUMBER };

	if (picture->only & ONLY_WIDEST)
		rows.widest = largest(picture, run, "width_bits");
	if (picture->only & ONLY_LARGEST_PAGES)
		rows.largest_pages = largest(picture, run, KEY_PAGE_BYTES);
	return rows;
}

static bool is_that(const struct result_row *row, const char *name, double largest)
{
	double value = result_parameter(row, name);

	return math_is_nan(value) || value == largest;
}

/* Returns true if the row is one of the picture's, even if it is noise. */
static bool is_chosen(const struct picture_rows *rows, const struct result_row *row)
{
	const struct picture *picture = rows->picture;
	unsigned only = picture->only;

	if (!is_of(picture, row) || measured_again(row))
		return false;
	if (math_is_nan(result_number(row, picture->x)) ||
		math_is_nan(result_number(row, picture->y)))
		return false;
	if ((only & ONLY_MEMORY && strcmp(row->level, "memory")) ||
		(only & ONLY_LEVELS && !*row->level) || (only & ONLY_SWEEP && *row->level))
		return false;
	if (only & ONLY_WIDEST && !is_that(row, "width_bits", rows->widest))
		return false;
	return !(only & ONLY_LARGEST_PAGES) || is_that(row, KEY_PAGE_BYTES, rows->largest_pages);
}

bool picture_takes(const struct picture_rows *rows, const struct result_row *row)
{
	return is_chosen(rows, row) && (rows->picture->floor > 0 || !row_is_noise(row));
}

double drawing_svg(const struct drawing *drawing, struct sink *svg, double y)
{
	switch (drawing->kind) {
	case DRAW_CHART:
		return chart_draw(svg, &drawing->chart, y);
	case DRAW_DOTS:
		return dots_draw(svg, &drawing->dots, y);
	case DRAW_MATRIX:
		return matrix_draw(svg, &drawing->matrix, y);
	case DRAW_NOTHING:
		break;
	}
	return 0;
}

static void free_series(const struct chart_series *series)
{
	for (size_t i = 0; i < series->n; i++)
		page_free(series->points[i].text);
	page_free(series->points);
	page_free(series->label);
}

static void free_chart(const struct chart *chart)
{
	for (size_t i = 0; i < chart->n; i++)
		free_series(&chart->series[i]);
	for (size_t i = 0; i < chart->nmarks; i++)
		page_free(chart->marks[i].label);
	page_free(chart->series);
	page_free(chart->marks);
}

static void free_dots(const struct dots *dots)
{
	for (size_t i = 0; i < dots->nlines; i++)
		page_free(dots->lines[i]);
	page_free(dots->lines);
	page_free(dots->dots);
}

void drawing_free(struct drawing *drawing)
{
	if (drawing->kind == DRAW_CHART)
		free_chart(&drawing->chart);
	else if (drawing->kind == DRAW_DOTS)
		free_dots(&drawing->dots);
	else if (drawing->kind == DRAW_MATRIX) {
		page_free(drawing->matrix.cells);
		page_free(drawing->matrix.places);
	}
	drawing->kind = DRAW_NOTHING;
}

#define LOG_LEAST 2 /* a logarithmic axis of a smaller factor would exaggerate */

/* Let an axis of amounts begin at 0, or be one of powers: heights are seen as amounts. */
static void begin_at_0(struct axis *y)
{
	if (y->kind == AXIS_LOG && y->high < LOG_LEAST * y->low)
		y->kind = AXIS_LINEAR;
	if (y->kind == AXIS_LINEAR && math_finite(y->low))
		axis_cover(y, 0);
}

void picture_finish(struct drawing *drawing, struct chart *chart)
{
	drawing->kind = DRAW_CHART;
	drawing->chart = *chart;
	begin_at_0(&drawing->chart.y);
	if (!axis_ready(&drawing->chart.x) || !axis_ready(&drawing->chart.y))
		drawing_free(drawing);
}

/* Summary values of runs, as marks in their pictures. */

#define MARK_TEXT 40

/* Add a mark. Its text is copied. */
static void marks_add(struct chart *chart, const struct mark *mark)
{
	struct mark *new = page_grow((void **)&chart->marks, &chart->nmarks, sizeof *new);

	*new = *mark;
	new->label = page_text(mark->label);
}

static void add_mark(struct chart *chart, const struct picture *picture,
	const struct subject *subject, const char *tag, double value, bool claimed, bool unsure)
{
	bool several = *subject->tag;
	char text[MARK_TEXT], number[TICK_TEXT];

	if (math_is_nan(value) || (picture->x_axis.kind != AXIS_LINEAR && !(value > 0)))
		return;
	axis_text(picture->marks_at_y ? &picture->y_axis : &picture->x_axis, value, number);
	text_format(text, sizeof text, "%s%s%s%s%s%s", several ? subject->tag : "",
		several ? " " : "", claimed ? "CPUID " : "", tag, number, unsure ? "?" : "");
	marks_add(chart,
		&(struct mark){ .at = value,
			.at_y = picture->marks_at_y,
			.claimed = claimed,
			.colour = several ? subject->colour : COLOURS,
			.label = text });
}

/*
 * Returns true if an earlier run has the same claim: CPUID's claims are shown once for several
 * rooms of a machine.
 */
static bool claimed_before(const struct subjects *subjects, size_t at, const char *name,
	double claimed)
{
	for (size_t i = 0; i < at; i++)
		if (line_number(shown_summary(subjects->list[i].run, name), KEY_CLAIMED) == claimed)
			return true;
	return false;
}

static void add_summary(struct chart *chart, const struct picture *picture,
	const struct subjects *subjects, size_t at, const char *tag, const char *name)
{
	struct line line = shown_summary(subjects->list[at].run, name);
	double value = line_number(line, KEY_VALUE), claimed = line_number(line, KEY_CLAIMED);

	add_mark(chart, picture, &subjects->list[at], tag, value, false,
		line_number(line, KEY_CONFIDENCE) < CLAIM_LEAST);
	if (claimed != value && !claimed_before(subjects, at, name, claimed))
		add_mark(chart, picture, &subjects->list[at], tag, claimed, true, false);
}

void picture_marks(const struct picture *picture, const struct subjects *subjects,
	struct chart *chart)
{
	char tag[MARK_TEXT], name[40];

	if (!picture->marks || subjects->n > MARKS_SETS)
		return;
	for (size_t i = 0; i < subjects->n; i++)
		for (const char *at = picture->marks, *end, *begin; *at; at = end + (*end == '|')) {
			for (begin = end = at; *end && *end != '|'; end++)
				begin = *end == ' ' ? end + 1 : begin;
			text_format(tag, sizeof tag, "%.*s", (int)(begin - at), at);
			text_format(name, sizeof name, "%.*s", (int)(end - begin), begin);
			add_summary(chart, picture, subjects, i, tag, name);
		}
}

/* Pictures of rows over a parameter: a series for each run, variant and value of the split. */

#define SPLITS_MOST  16 /* values of the split that are shown */
#define SERIES_LABEL 48

/* The contents of a picture, in the order of its variants, and the values by which it is split. */
struct picture_parts {
	const struct picture *picture;
	const struct subjects *subjects;
	const char *variants[8];
	size_t nvariants;
	double splits[SPLITS_MOST];
	size_t nsplits;
};

static double split_of(const struct picture *picture, const struct result_row *row)
{
	static const char *const levels[] = { "l1", "l2", "l3", "l4", "memory" };

	if (!picture->split)
		return 0;
	if (strcmp(picture->split, KEY_LEVEL))
		return result_number(row, picture->split);
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (!strcmp(row->level, levels[i]))
			return (double)i + 1;
	return NOT_A_NUMBER;
}

static void add_variant(struct picture_parts *parts, const char *variant)
{
	for (size_t i = 0; i < parts->nvariants; i++)
		if (!strcmp(parts->variants[i], variant))
			return;
	if (parts->nvariants < sizeof parts->variants / sizeof *parts->variants)
		parts->variants[parts->nvariants++] = variant;
}

static void add_split(struct picture_parts *parts, double split)
{
	for (size_t i = 0; i < parts->nsplits; i++)
		if (parts->splits[i] == split ||
			(math_is_nan(parts->splits[i]) && math_is_nan(split)))
			return;
	if (parts->nsplits < SPLITS_MOST)
		parts->splits[parts->nsplits++] = split;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int descending(const void *a, const void *b)
{
	return ascending(b, a);
}

/* Returns true if large pages come first: their line is the solid one. */
static bool by_pages(const struct picture *picture)
{
	return picture->split && !strcmp(picture->split, KEY_PAGE_BYTES);
}

/* Find the variants and splits; count the picture's rows, and those that are noise. */
static void find_parts(struct picture_parts *parts, struct drawing *drawing)
{
	for (size_t i = 0; i < parts->subjects->n; i++) {
		const struct shown_run *run = parts->subjects->list[i].run;
		const struct picture_rows rows = picture_rows_of(parts->picture, run);
		for (size_t j = 0; j < run->nrows; j++)
			if (picture_takes(&rows, &run->rows[j])) {
				add_variant(parts, run->rows[j].variant);
				add_split(parts, split_of(parts->picture, &run->rows[j]));
				drawing->left_out++;
			} else {
				drawing->noise += is_chosen(&rows, &run->rows[j]);
			}
	}
	page_sort(parts->splits, parts->nsplits, sizeof *parts->splits,
		by_pages(parts->picture) ? descending : ascending);
}

static void split_text(const struct picture *picture, double split, char out[24])
{
	static const struct {
		const char *name, *before, *after;
		bool size;
	} words[] = { { KEY_PAGE_BYTES, "", " pages", true }, { KEY_LEVEL, "L", "" },
		{ "work", "", " steps" }, { "lanes", "", " chains" }, { "cpus", "", " CPUs" },
		{ "stride_bytes", "", " B apart" }, { "elements", "", " branches" } };
	char size[SIZE_TEXT];

	out[0] = 0;
	if (!picture->split || math_is_nan(split))
		return;
	if (!strcmp(picture->split, KEY_LEVEL) && split > 4) {
		text_format(out, 24, "memory");
		return;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i].name, picture->split)) {
			text_format(size, sizeof size, "%.0f", split);
			if (words[i].size)
				size_text(split, size);
			text_format(out, 24, "%s%s%s", words[i].before, size, words[i].after);
			if (split == 1 && out[strlen(out) - 1] == 's')
				out[strlen(out) - 1] = 0;
		}
}

static void cut_at_blank(char *text)
{
	while (*text && *text != ' ')
		text++;
	*text = 0;
}

/* "hosted read 2M pages", or the part of it that distinguishes the series. */
static char *label_of(const struct picture_parts *parts, const struct subject *subject, size_t v,
	size_t s)
{
	char split[24] = "", *label = page_new(SERIES_LABEL, 1);
	const char *variant = parts->nvariants > 1 ? parts->variants[v] : "";

	if (parts->nsplits > 1)
		split_text(parts->picture, parts->splits[s], split);
	if (*subject->tag && by_pages(parts->picture))
		cut_at_blank(split);
	if (strlen(variant) > 7 && !memcmp(variant, "method-", 7))
		variant += 7;
	text_format(label, SERIES_LABEL, "%s%s%s%s%s", subject->tag,
		*subject->tag && *variant ? " " : "", variant,
		(*subject->tag || *variant) && *split ? " " : "", split);
	return label;
}

/*
 * Choose the colour. With one set, colours distinguish variants or splits; with several, the sets.
 */
static void paint(const struct picture_parts *parts, const struct subject *subject, size_t v,
	size_t s, struct chart_series *series)
{
	bool several = *subject->tag;
	unsigned variant = (unsigned)v, split = (unsigned)s;

	series->form = parts->picture->form;
	series->run = subject->index;
	series->colour = several                                   ? subject->colour
		: by_pages(parts->picture) || parts->nvariants > 1 ? variant
								   : split;
	series->dash = several             ? variant + split
		: by_pages(parts->picture) ? split
					   : series->colour / COLOURS;
}

static int by_x(const void *a, const void *b)
{
	return ascending(&((const struct chart_point *)a)->x, &((const struct chart_point *)b)->x);
}

static void add_point(const struct picture *picture, const struct shown_run *run, size_t at,
	struct chart_point **points, size_t *n)
{
	const struct result_row *row = &run->rows[at];
	double y = result_number(row, picture->y);
	struct chart_point *point = page_grow((void **)points, n, sizeof **points);

	*point = (struct chart_point){ .x = result_number(row, picture->x),
		.y = picture->floor > 0 ? math_max(y, picture->floor) : y,
		.low = picture->band ? row->numbers[ROW_min] : NOT_A_NUMBER,
		.high = picture->band ? row->numbers[ROW_p90] : NOT_A_NUMBER,
		.row = (long)at };
}

#define AT_ONE_X 4 /* one point in AT_ONE_X may share the x of the point before */

/*
 * Returns true if points lie above each other: the rows differ in something that the picture lacks,
 * so they are not one curve.
 */
static bool are_stacked(const struct chart_point *points, size_t n)
{
	size_t stacked = 0;

	for (size_t i = 1; i < n; i++)
		stacked += points[i].x == points[i - 1].x;
	return stacked * AT_ONE_X > n;
}

static void add_series(const struct picture_parts *parts, const struct subject *subject, size_t v,
	size_t s, struct chart *chart)
{
	const struct picture *picture = parts->picture;
	const struct shown_run *run = subject->run;
	const struct picture_rows rows = picture_rows_of(picture, run);
	struct chart_point *points = NULL;
	size_t n = 0;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct result_row *row = &run->rows[i];
		double split = split_of(picture, row);
		if (picture_takes(&rows, row) && !strcmp(row->variant, parts->variants[v]) &&
			(split == parts->splits[s] ||
				(math_is_nan(split) && math_is_nan(parts->splits[s]))))
			add_point(picture, run, i, &points, &n);
	}
	if (!n)
		return;
	page_sort(points, n, sizeof *points, by_x);
	struct chart_series *series = page_grow((void **)&chart->series, &chart->n, sizeof *series);
	series->label = label_of(parts, subject, v, s);
	series->points = points;
	series->n = n;
	paint(parts, subject, v, s, series);
	if (series->form == FORM_LINE && are_stacked(points, n))
		series->form = FORM_POINTS;
}

/*
 * Returns true for a repeated run of a set: it has the colour of the first, whose name is enough.
 */
static bool is_repeated(const struct subjects *subjects, size_t i)
{
	return i && subjects->list[i].colour == subjects->list[i - 1].colour;
}

static void add_all(const struct picture_parts *parts, struct chart *chart)
{
	const struct subjects *subjects = parts->subjects;
	bool many = subjects->n > PICTURE_SETS;

	for (size_t i = 0; i < subjects->n; i++)
		for (size_t v = 0; v < (many ? 1 : parts->nvariants); v++)
			for (size_t s = 0; s < (many ? 1 : parts->nsplits); s++) {
				size_t before = chart->n;
				add_series(parts, &subjects->list[i], v, s, chart);
				if (chart->n > before && is_repeated(subjects, i))
					((char *)chart->series[before].label)[0] = 0;
			}
}

void picture_cover(struct chart *chart, const struct chart *of)
{
	for (size_t i = 0; i < of->n; i++)
		for (size_t j = 0; j < of->series[i].n; j++) {
			const struct chart_point *p = &of->series[i].points[j];
			axis_cover(&chart->x, p->x);
			axis_cover(&chart->y, p->y);
			axis_cover(&chart->y, p->low);
			axis_cover(&chart->y, p->high);
		}
	for (size_t i = 0; i < of->nmarks; i++)
		axis_cover(of->marks[i].at_y ? &chart->y : &chart->x, of->marks[i].at);
}

void picture_curve(const struct picture *picture, const struct subjects *subjects,
	struct drawing *drawing)
{
	struct picture_parts parts = { .picture = picture, .subjects = subjects };
	struct chart chart = { .title = picture->title,
		.note = subjects->note,
		.x = axis_empty(picture->x_axis.kind, picture->x_axis.name),
		.y = axis_empty(picture->y_axis.kind, picture->y_axis.name) };

	chart.x.whole = picture->x_axis.whole;
	find_parts(&parts, drawing);
	if (parts.nvariants && parts.nsplits)
		add_all(&parts, &chart);
	picture_marks(picture, subjects, &chart);
	picture_cover(&chart, &chart);
	for (size_t i = 0; i < chart.n; i++)
		drawing->left_out -= chart.series[i].n;
	picture_finish(drawing, &chart);
}

/* The core clock over the time of the run: a point for each row of any probe. */

#define WIDE_BITS 512 /* of vectors for which processors have lowered their clock: AVX-512 */

static bool is_wide(const struct result_row *row)
{
	return result_parameter(row, "width_bits") >= WIDE_BITS;
}

static void add_rows(struct chart *chart, const struct subject *subject, bool wide)
{
	struct chart_point *points = NULL;
	size_t n = 0;

	for (size_t i = 0; i < subject->run->nrows; i++) {
		const struct result_row *row = &subject->run->rows[i];
		double at = row->numbers[ROW_at_seconds], hz = row->numbers[ROW_core_hz];

		if (math_is_nan(hz) || math_is_nan(at) || is_wide(row) != wide)
			continue;
		*(struct chart_point *)page_grow((void **)&points, &n, sizeof *points) =
			(struct chart_point){ at, hz, NOT_A_NUMBER, NOT_A_NUMBER, (long)i, NULL };
		axis_cover(&chart->x, at);
		axis_cover(&chart->y, hz);
	}
	if (!n)
		return;
	*(struct chart_series *)page_grow((void **)&chart->series, &chart->n,
		sizeof(struct chart_series)) =
		(struct chart_series){ .label = page_text(wide ? "" : subject->tag),
			.form = wide ? FORM_LARGE_POINTS : FORM_POINTS,
			.colour = subject->colour,
			.run = subject->index,
			.points = points,
			.n = n };
}

void picture_clock(const struct picture *picture, const struct subjects *subjects,
	struct drawing *drawing)
{
	struct chart chart = { .title = picture->title,
		.note = subjects->note,
		.x = axis_empty(AXIS_LINEAR, picture->x_axis.name),
		.y = axis_empty(AXIS_LINEAR, picture->y_axis.name) };

	chart.y.per = picture->y_axis.per;
	for (size_t i = 0; i < subjects->n; i++) {
		add_rows(&chart, &subjects->list[i], false);
		add_rows(&chart, &subjects->list[i], true);
	}
	picture_finish(drawing, &chart);
}

/*
 * The ladder of noise: the number of gaps a second that are at least this long. It uses the lengths
 * of the gaps where the scan has them all; below the shortest recorded one, and if some were not
 * recorded, the counts by powers of two of ticks, which have every gap.
 */

#define POINTS_MOST 120 /* of a ladder: more than the picture can show apart */
#define CLASSES     64  /* of log2_ticks */
#define POINT_TEXT  80

struct gap_ladder {
	struct chart_point *points;
	size_t n;
	double seconds; /* of observation */
};

static void add_step(struct gap_ladder *ladder, double ns, double gaps)
{
	struct chart_point *point;
	char text[POINT_TEXT];

	if (!(gaps > 0) || !(ns > 0))
		return;
	point = page_grow((void **)&ladder->points, &ladder->n, sizeof *point);
	text_format(text, sizeof text, "%.0f gap%s of %.6g us or more, in %.6g s", gaps,
		text_plural((size_t)gaps), ns / 1e3, ladder->seconds);
	*point = (struct chart_point){ ns, gaps / ladder->seconds, NOT_A_NUMBER, NOT_A_NUMBER, -1,
		page_text(text) };
}

/* The length from which on the recorded gaps are complete; infinite: never. */
static double complete_from(struct line more, const double *lengths, size_t n)
{
	if (!n || line_number(more, "gaps_unrecorded") > 0)
		return __builtin_inf();
	return lengths[n - 1];
}

/* Read the next number of an array; NAN: the element is no number. Returns false at the end. */
static bool next_number(const char **at, const char *end, double *out)
{
	struct member element;

	if (!element_next(at, end, &element))
		return false;
	*out = member_number(&element);
	return true;
}

/* longer[i]: number of gaps of 2^i ticks or more. */
static void count_classes(struct line more, double longer[CLASSES + 1])
{
	struct member counts;
	double count;

	if (!line_find(more, "log2_ticks", &counts))
		return;
	const char *at = counts.value, *end = at + counts.value_bytes;
	for (size_t i = 0; i < CLASSES && next_number(&at, end, &count); i++)
		longer[i] = math_finite(count) ? count : 0;
	for (size_t i = CLASSES; i-- > 0;)
		longer[i] += longer[i + 1];
}

static void add_classes(struct gap_ladder *ladder, struct line more, double ns_per_tick,
	double until)
{
	double longer[CLASSES + 1] = { 0 }, ns = ns_per_tick;
	double threshold = line_number(more, "threshold_ns");

	count_classes(more, longer);
	add_step(ladder, threshold, longer[0]);
	for (size_t i = 0; i < CLASSES; i++, ns *= 2)
		if (ns > threshold && ns < until)
			add_step(ladder, ns, longer[i]);
}

/* Add steps for lengths in descending order: i gaps are as long as the i-th or longer. */
static void add_lengths(struct gap_ladder *ladder, const double *lengths, size_t n)
{
	double last = 0;

	for (size_t i = n; i-- > 0;) {
		if (i && lengths[i] < last * 1.05 && n > POINTS_MOST)
			continue;
		add_step(ladder, lengths[i], (double)i + 1);
		last = lengths[i];
	}
}

static int longest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* The second number of an event; NAN: there is none. */
static double length_of(const struct member *event)
{
	const char *at = event->value, *end = at + event->value_bytes;
	double length = NOT_A_NUMBER;

	if (next_number(&at, end, &length) && !next_number(&at, end, &length))
		length = NOT_A_NUMBER;
	return length;
}

static double *lengths_of(struct line more, size_t *n)
{
	double *lengths = NULL;
	struct member events, event;

	*n = 0;
	if (!line_find(more, "events", &events))
		return NULL;
	const char *at = events.value, *end = at + events.value_bytes;
	while (element_next(&at, end, &event))
		if (math_finite(length_of(&event)))
			*(double *)page_grow((void **)&lengths, n, sizeof *lengths) =
				length_of(&event);
	page_sort(lengths, *n, sizeof *lengths, longest_first);
	return lengths;
}

static void climb(struct gap_ladder *ladder, const struct shown_run *run,
	const struct result_row *row)
{
	struct line more = row->more;
	double per_tick = 1e9 / line_number(run->head, KEY_TSC_HZ), from;
	size_t n;
	double *lengths = lengths_of(more, &n);

	ladder->seconds = line_number(more, "observed_seconds");
	if (ladder->seconds > 0 && per_tick > 0) {
		from = complete_from(more, lengths, n);
		add_classes(ladder, more, per_tick, from);
		if (math_finite(from))
			add_lengths(ladder, lengths, n);
	}
	page_free(lengths);
}

static void add_run(struct chart *chart, const struct picture *picture,
	const struct subject *subject)
{
	const struct picture_rows rows = picture_rows_of(picture, subject->run);
	struct gap_ladder ladder = { 0 };

	for (size_t i = 0; i < subject->run->nrows && !ladder.n; i++)
		if (picture_takes(&rows, &subject->run->rows[i]))
			climb(&ladder, subject->run, &subject->run->rows[i]);
	if (!ladder.n)
		return;
	struct chart_series *series = page_grow((void **)&chart->series, &chart->n, sizeof *series);
	*series = (struct chart_series){ .label = page_text(subject->tag),
		.form = FORM_LINE,
		.colour = subject->colour,
		.run = subject->index,
		.points = ladder.points,
		.n = ladder.n };
	for (size_t i = 0; i < ladder.n; i++) {
		axis_cover(&chart->x, ladder.points[i].x);
		axis_cover(&chart->y, ladder.points[i].y);
	}
}

/* Add the limits of the field, except the loop's own, where every ladder begins. */
static void add_limits(struct chart *chart)
{
	static const struct {
		double us;
		const char *text;
	} limits[] = {
#define NOISE_THRESHOLD(us, whose) { us, #us " us" },
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
	};

	for (size_t i = 1; i < sizeof limits / sizeof *limits; i++) {
		double ns = 1e3 * limits[i].us;

		marks_add(chart,
			&(struct mark){ .at = ns, .colour = COLOURS, .label = limits[i].text });
		axis_cover(&chart->x, ns);
	}
}

void picture_gaps(const struct picture *picture, const struct subjects *subjects,
	struct drawing *drawing)
{
	struct chart chart = { .title = picture->title,
		.note = subjects->note,
		.x = axis_empty(AXIS_TIME, picture->x_axis.name),
		.y = axis_empty(AXIS_LOG, picture->y_axis.name) };

	for (size_t i = 0; i < subjects->n; i++)
		add_run(&chart, picture, &subjects->list[i]);
	if (chart.n)
		add_limits(&chart);
	picture_finish(drawing, &chart);
}
