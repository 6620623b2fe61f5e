/* SPDX-License-Identifier: MIT */
/* What the pictures are made with: which rows one is about, and the drawing itself. */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/page_memory.h"
#include "page/pictures.h"

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
