/* SPDX-License-Identifier: MIT */
/* A value for each pair, as shaded squares. Its points are asked as a chart's are (chart.h). */
#ifndef PICTURE_MATRIX_H
#define PICTURE_MATRIX_H

#include "picture/axis.h"
#include "picture/svg.h"

struct matrix_cell {
	unsigned row, column; /* from 0 */
	double value;
	long id; /* the row of the result that it is from */
};

struct matrix {
	const char *title, *banner;
	const char *rows, *columns; /* what they are: "CPU of node" */
	unsigned n, m;              /* rows, columns */
	struct axis shade;          /* of the values, and their unit; ready */
	unsigned colour, run;
	const struct matrix_cell *cells; /* at least one */
	size_t ncells;
};

/* The picture as one <svg> element; with `y` as chart_draw. Its height. */
double matrix_draw(struct sink *, const struct matrix *, double y);

/* The values between which the shades lie: "22.8 (dark) to 118 ns", with least_is " (dark)". */
#define MATRIX_KEY 96
void matrix_key(const struct matrix *, const char *least_is, char out[MATRIX_KEY]);

#endif
