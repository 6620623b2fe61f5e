/* SPDX-License-Identifier: MIT */
/* What the parts of a chart of pixels share: where its plot lies. */
#ifndef PICTURE_PLOT_PIXELS_H
#define PICTURE_PLOT_PIXELS_H

#include "picture/pixels.h"

struct plot_pixels {
	const struct place *place;
	const struct chart *chart;
	struct tick x_ticks[AXIS_TICKS], y_ticks[AXIS_TICKS];
	size_t nx, ny;
	unsigned thick;               /* of a curve, pixels */
	int left, right, top, bottom; /* of the plot */
};

static inline int most_of(int a, int b)
{
	return a > b ? a : b;
}

static inline double pixel_x(const struct plot_pixels *plot, double value)
{
	return plot->left + (plot->right - plot->left) * axis_part(&plot->chart->x, value);
}

static inline double pixel_y(const struct plot_pixels *plot, double value)
{
	return plot->bottom - (plot->bottom - plot->top) * axis_part(&plot->chart->y, value);
}

/* Between the lower and the upper ends of the points. */
void band_pixels(const struct plot_pixels *, const struct series *);
void series_pixels(const struct plot_pixels *, const struct series *);
/* The names, each at the height where its series ends, or as near as the others leave it. */
void names_pixels(const struct plot_pixels *);
/* The lines across, with their names in the line above the plot where there is room for them. */
void marks_pixels(const struct plot_pixels *);

#endif
