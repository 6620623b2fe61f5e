/* SPDX-License-Identifier: MIT */
/* A value for each pair, as shaded squares. Its points are asked as a chart's are (chart.h). */
#ifndef PICTURE_MATRIX_H
#define PICTURE_MATRIX_H

#include "page/picture/axis.h"
#include "page/picture/svg.h"

struct matrix_cell {
	unsigned row, column; /* from 0 */
	double value;
	long id; /* the row of the result that it is from */
};

/* Where in the machine a row and the column of the same number are. */
enum matrix_part { PART_PACKAGE, PART_NODE, PART_L3, PART_CORE, PART_THREAD, PARTS };

struct matrix_place {
	unsigned number;       /* as it is called */
	enum matrix_part part; /* the largest in which it is not with the one before */
};

struct matrix {
	const char *title, *banner;
	const char *rows, *columns; /* what they are: "CPU of node" */
	unsigned n, m;              /* rows, columns */
	struct axis shade;          /* of the values, and their unit; ready */
	unsigned colour, run;
	const struct matrix_cell *cells; /* at least one */
	size_t ncells;
	const struct matrix_place
		*places; /* [n], those of a part beside each other; NULL: 0, 1, ... */
};

/* The picture as one <svg> element; with `y` as chart_draw. Its height. */
double matrix_draw(struct sink *, const struct matrix *, double y);

/* How the row or column is called. */
unsigned matrix_number(const struct matrix *, unsigned at);

/*
 * The values between which the shades lie: "22.8", "118 ns"; where they differ by little, also by
 * how much: "22.9 ns, 0.4 % apart". Of one value low is "".
 */
#define MATRIX_END 96
void matrix_ends(const struct matrix *, char low[TICK_TEXT], char high[MATRIX_END]);

#endif
