/* SPDX-License-Identifier: MIT */
#include "page/drawing.h"

#include "page/page_memory.h"

double drawing_svg(const struct drawing *drawing, struct svg *svg, double y)
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
