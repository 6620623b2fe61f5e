/* SPDX-License-Identifier: MIT */
/* What the pictures are made with: which rows one is about, its marks, the drawing itself. */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/page_memory.h"
#include "page/pictures.h"

#define MARK_TEXT 40
#define MANY_SETS 3 /* with more of them marks would hide the curves; the card has their values */

/* Measured again at an edge, or without prefetchers: another curve. */
static bool is_repeated(const struct result_row *row)
{
	return result_parameter(row, "again") > 0 || result_parameter(row, "prefetch") == 0;
}

static bool is_of(const struct picture *picture, const struct result_row *row)
{
	return !strcmp(row->probe, picture->probe) &&
		(!*picture->variants || names_have(picture->variants, row->variant));
}

/* The largest value of the parameter that a row of the picture's in the run has. */
static double largest(const struct picture *picture, const struct shown_run *run, const char *name)
{
	double most = NOT_A_NUMBER;

	for (size_t i = 0; i < run->nrows; i++) {
		double value = result_parameter(&run->rows[i], name);
		if (is_of(picture, &run->rows[i]) && !(value <= most) && math_finite(value))
			most = value;
	}
	return most;
}

static bool is_largest(const struct picture *picture, const struct shown_run *run,
	const struct result_row *row, const char *name)
{
	double value = result_parameter(row, name);

	return math_is_nan(value) || value == largest(picture, run, name);
}

bool picture_takes(const struct picture *picture, const struct shown_run *run,
	const struct result_row *row)
{
	unsigned only = picture->only;

	if (!is_of(picture, row) || is_repeated(row))
		return false;
	if (math_is_nan(result_number(row, picture->x)) ||
		math_is_nan(result_number(row, picture->y)))
		return false;
	if ((only & ONLY_MEMORY && strcmp(row->level, "memory")) ||
		(only & ONLY_LEVELS && !*row->level) || (only & ONLY_SWEEP && *row->level))
		return false;
	if (only & ONLY_WIDEST && !is_largest(picture, run, row, "width_bits"))
		return false;
	return !(only & ONLY_LARGEST_PAGES) || is_largest(picture, run, row, KEY_PAGE_BYTES);
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

static void free_series(const struct series *series)
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

void drawing_chart(struct drawing *drawing, struct chart *chart)
{
	drawing->kind = DRAW_CHART;
	drawing->chart = *chart;
	if (!axis_ready(&drawing->chart.x) || !axis_ready(&drawing->chart.y))
		drawing_free(drawing);
}

void drawing_free(struct drawing *drawing)
{
	if (drawing->kind == DRAW_CHART)
		free_chart(&drawing->chart);
	else if (drawing->kind == DRAW_DOTS)
		free_dots(&drawing->dots);
	else if (drawing->kind == DRAW_MATRIX)
		page_free(drawing->matrix.cells);
	drawing->kind = DRAW_NOTHING;
}

void marks_add(struct chart *chart, const struct mark *mark)
{
	struct mark *new = page_grow((void **)&chart->marks, &chart->nmarks, sizeof *new);

	*new = *mark;
	new->label = page_text(mark->label);
}

/* "L1" of l1d_bytes, "4K" of dtlb_4k_entries; "" of others, whose picture says what they are. */
static const char *short_name(const char *name)
{
	static const struct {
		const char *name, *text;
	} names[] = { { "l1d_bytes", "L1 " }, { "l2_bytes", "L2 " }, { "l3_bytes", "L3 " },
		{ "l4_bytes", "L4 " }, { "dtlb_4k_entries", "4K " }, { "stlb_entries", "4K, 2nd " },
		{ "dtlb_2m_entries", "2M " }, { "stlb_2m_entries", "2M, 2nd " } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i].name, name))
			return names[i].text;
	return "";
}

static void add(struct chart *chart, const struct picture *picture, const struct subject *subject,
	const char *name, double value, bool claimed)
{
	bool several = *subject->tag;
	char text[MARK_TEXT], number[TICK_TEXT];

	if (math_is_nan(value) || (picture->x_axis.kind != AXIS_LINEAR && !(value > 0)))
		return;
	axis_text(picture->marks_at_y ? &picture->y_axis : &picture->x_axis, value, number);
	text_format(text, sizeof text, "%s%s%s%s%s", several ? subject->tag : "",
		several ? " " : "", claimed ? "CPUID " : "", short_name(name), number);
	marks_add(chart,
		&(struct mark){ .at = value,
			.at_y = picture->marks_at_y,
			.claimed = claimed,
			.colour = several ? subject->colour : COLOURS,
			.label = text });
}

/* What CPUID claims is one machine's: said once where several rooms of it are shown. */
static bool claimed_before(const struct subjects *subjects, size_t at, const char *name,
	double claimed)
{
	for (size_t i = 0; i < at; i++)
		if (line_number(shown_summary(subjects->list[i].run, name), KEY_CLAIMED) == claimed)
			return true;
	return false;
}

static void add_summary(struct chart *chart, const struct picture *picture,
	const struct subjects *subjects, size_t at, const char *name)
{
	struct line line = shown_summary(subjects->list[at].run, name);
	double value = line_number(line, KEY_VALUE), claimed = line_number(line, KEY_CLAIMED);

	add(chart, picture, &subjects->list[at], name, value, false);
	if (claimed != value && !claimed_before(subjects, at, name, claimed))
		add(chart, picture, &subjects->list[at], name, claimed, true);
}

void marks_collect(const struct picture *picture, const struct subjects *subjects,
	struct chart *chart)
{
	char name[40];

	if (!picture->marks || subjects->n > MANY_SETS)
		return;
	for (size_t i = 0; i < subjects->n; i++)
		for (const char *at = picture->marks; *at; at += *at == ',') {
			size_t n = names_first(at);
			text_format(name, sizeof name, "%.*s", (int)n, at);
			add_summary(chart, picture, subjects, i, name);
			at += n;
		}
}
