/* SPDX-License-Identifier: MIT */
/*
 * Curves over an axis, as SVG: lines with bands, steps or points, each with its name beside it, and
 * marks at values of an axis. Freestanding: the caller has the memory.
 *
 * A point is drawn as a capital M or L of a path that carries, in the order of its points, what
 * they say when asked: data-r, the numbers of the rows (of data-run), or data-t, a text each,
 * separated by |. page/files/page.js reads these; a picture alone does without.
 */
#ifndef PICTURE_CHART_H
#define PICTURE_CHART_H

#include "page/picture/axis.h"
#include "page/picture/svg.h"

#define PICTURE_WIDTH 380.0 /* on a telephone its text is still 9 pixels high */
#define COLOURS       8     /* classes c0 to c7 of page/files/picture.css */
#define DASHES        5     /* classes d0 to d4 */

struct point {
	double x, y;
	double low, high; /* of the band; NAN: none */
	long row;         /* -1: none */
	const char *text; /* instead of a row; NULL: none */
};

enum series_form { FORM_LINE, FORM_STEPS, FORM_POINTS, FORM_LARGE_POINTS };
#define LINE_LEAST 5 /* points: a line through fewer would show what lies between as measured */

struct series {
	const char *label; /* "": has none */
	enum series_form form;
	unsigned colour, dash;
	unsigned run;               /* of the points' rows */
	const struct point *points; /* in ascending order of x but with FORM_POINTS */
	size_t n;
};

/* A line across: at x, or at y. */
struct mark {
	double at;
	bool at_y, claimed; /* claimed: not measured */
	unsigned colour;    /* COLOURS: none */
	const char *label;
};

struct chart {
	const char *title;  /* for those who do not see it */
	const char *banner; /* lines that nobody may overlook; "": the numbers are a machine's */
	struct axis x, y;   /* ready (axis_ready) */
	const struct series *series;
	size_t n;
	const struct mark *marks;
	size_t nmarks;
};

/* Room for so many names beside the curves, and so many marks; what is more is left out. */
#define CHART_LABELS 20
#define CHART_MARKS  24

/* The picture as one <svg> element, or, with `y`, as a nested one that begins there. Its height. */
double chart_draw(struct sink *, const struct chart *, double y);

/* The begin of an <svg> element of that height, at y; what it says to those who do not see it. */
void picture_begin(struct sink *, double y, double height, const char *title);
/* The banner, if there is one, at the top; svg NULL: not drawn. The height that it takes. */
double picture_banner(struct sink *, const char *text);

#endif
