/* SPDX-License-Identifier: MIT */
/* What the parts of a chart share: where its plot lies. */
#ifndef PICTURE_CHART_PARTS_H
#define PICTURE_CHART_PARTS_H

#include "picture/chart.h"

struct plot {
	const struct chart *chart;
	struct tick x_ticks[AXIS_TICKS], y_ticks[AXIS_TICKS];
	size_t nx, ny;
	unsigned mark_row[CHART_MARKS];
	double left, right, top, bottom; /* of the plot, in units of the picture */
	double height;                   /* of the picture */
};

static inline double plot_x(const struct plot *plot, double value)
{
	return plot->left + (plot->right - plot->left) * axis_part(&plot->chart->x, value);
}

static inline double plot_y(const struct plot *plot, double value)
{
	return plot->bottom - (plot->bottom - plot->top) * axis_part(&plot->chart->y, value);
}

/* Finds a row above the plot for the name of each mark along x; how many rows that takes. */
unsigned marks_place(struct plot *);
void marks_draw(struct svg *, const struct plot *);

/* How much the names of the series need beside the plot, and below each other. */
double names_width(const struct chart *);
double names_height(const struct chart *);
/* Each at the height where its series ends, or as near as the others leave it. */
void names_draw(struct svg *, const struct plot *);

void series_draw(struct svg *, const struct plot *, const struct series *);

#endif
