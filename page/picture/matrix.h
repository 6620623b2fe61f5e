/* SPDX-License-Identifier: MIT */
/* A value for each pair, as shaded squares. Its points carry answers as a chart's do (chart.h). */
#ifndef PICTURE_MATRIX_H
#define PICTURE_MATRIX_H

#include "page/picture/axis.h"
#include "page/picture/svg.h"

struct matrix_cell {
	unsigned row, column; /* from 0 */
	double value;
	long id; /* the row of the result with this value */
};

/* The place in the machine of a row, and of the column of the same number. */
enum matrix_part { PART_PACKAGE, PART_NODE, PART_L3, PART_CORE, PART_THREAD, PARTS };

struct matrix_place {
	unsigned number;       /* the number that is shown */
	enum matrix_part part; /* the largest part that it does not share with the one before */
};

struct matrix {
	const char *title, *note;   /* as in struct chart */
	const char *rows, *columns; /* their names: "CPU of node" */
	unsigned n, m;              /* rows, columns */
	struct axis shade;          /* of the values, and their unit; ready */
	unsigned colour, run;
	const struct matrix_cell *cells; /* at least one */
	size_t ncells;
	const struct matrix_place
		*places; /* [n], places of a part are neighbours; NULL: 0, 1, ... */
};

/* Draw the picture as one <svg> element; y as in chart_draw. Returns its height. */
double matrix_draw(struct sink *, const struct matrix *, double y);

/* The number shown at a row or column. */
unsigned matrix_number(const struct matrix *, unsigned at);

/*
 * The values at both ends of the shades: "22.8", "118 ns"; if they differ by little, also by how
 * much: "22.9 ns, 0.4 % apart". If there is one value, low is "".
 */
#define MATRIX_END 96
void matrix_ends(const struct matrix *, char low[TICK_TEXT], char high[MATRIX_END]);

#endif
