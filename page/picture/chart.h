/* SPDX-License-Identifier: MIT */
/*
 * Curves over an axis, as SVG: lines with bands, steps or points, each with its name beside it, and
 * marks at values of an axis. Freestanding: the caller owns the memory.
 *
 * A point is drawn as a capital M or L of a path that carries, in the order of its points, the
 * answers shown when a user points at them: data-r, the numbers of the rows (of data-run), or
 * data-t, a text each, separated by |. page/files/page.js reads these; a picture by itself does not
 * need them.
 */
#ifndef PICTURE_CHART_H
#define PICTURE_CHART_H

#include "page/picture/axis.h"
#include "page/picture/svg.h"

#define PICTURE_WIDTH 380.0 /* on a telephone its text is still 9 pixels high */
#define COLOURS       8     /* classes c0 to c7 of page/files/picture.css */
#define DASHES        5     /* classes d0 to d4 */

struct chart_point {
	double x, y;
	double low, high; /* of the band; NAN: none */
	long row;         /* row of the result; -1: none */
	const char *text; /* instead of a row; NULL: none */
};

enum series_form { FORM_LINE, FORM_STEPS, FORM_POINTS, FORM_LARGE_POINTS, FORM_CROSSES };
#define LINE_LEAST 5 /* points: a line through fewer would make up values in between */

struct chart_series {
	const char *label; /* "": no label */
	enum series_form form;
	unsigned colour, dash;
	unsigned run;                     /* number of the run that has the points' rows */
	const struct chart_point *points; /* in ascending order of x, except with points */
	size_t n;
};

/* A line across the plot: at x, or at y. */
struct mark {
	double at;
	bool at_y, claimed; /* claimed: not measured */
	unsigned colour;    /* COLOURS: none */
	const char *label;
};

struct chart {
	const char *title; /* for people who do not see the picture */
	const char *note;  /* below: where the numbers are from; "": nothing */
	struct axis x, y;  /* ready (axis_ready) */
	const struct chart_series *series;
	size_t n;
	const struct mark *marks;
	size_t nmarks;
};

/* Most names beside the curves, and most marks; more are left out. */
#define CHART_LABELS 20
#define CHART_MARKS  24

/*
 * Draw the picture as one <svg> element, or, with `y`, as a nested one that begins there. Returns
 * its height.
 */
double chart_draw(struct sink *, const struct chart *, double y);

/* Begin an <svg> element of that height, at y; title: for people who do not see it. */
void picture_begin(struct sink *, double y, double height, const char *title);
/* Draw the note in a line that begins at y; svg NULL: draw nothing. Returns its height, or 0. */
double picture_note(struct sink *, double y, const char *note);

#endif
