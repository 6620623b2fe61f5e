/* SPDX-License-Identifier: MIT */
/* Things side by side: a line of text each, with a point for each run on one axis. */
#ifndef PICTURE_DOTS_H
#define PICTURE_DOTS_H

#include "page/picture/chart.h"

struct dot {
	unsigned line;         /* from 0 */
	struct chart_point at; /* x: the value, low and high around it; y is not used */
	unsigned colour, run;
};

struct dots {
	const char *title, *note; /* as in struct chart */
	struct axis axis;         /* ready */
	const char *const *lines; /* names of the things */
	size_t nlines;
	const struct dot *dots; /* a run's together; within a line, one below the other */
	size_t n;
	bool values; /* the first run's numbers stand at the right */
	bool bars;   /* from the axis' low end to each dot */
};

/* Draw the picture as one <svg> element; y as in chart_draw. Returns its height. */
double dots_draw(struct sink *, const struct dots *, double y);

#endif
