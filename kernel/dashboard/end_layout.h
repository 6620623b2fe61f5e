/* SPDX-License-Identifier: MIT */
/* The end screen: where the card and the pictures stand on displays of all sizes. */
#ifndef KERNEL_DASHBOARD_END_LAYOUT_H
#define KERNEL_DASHBOARD_END_LAYOUT_H

#include <stdbool.h>

#include "kernel/console/console.h"
#include "page/picture/raster.h"

#define CODE_DOT_LEAST 2 /* pixels of a module that a photograph still shows */
/* What a camera reads: `side` modules each way, dark or light. */
struct code {
	unsigned side;
	bool (*dark)(const void *of, unsigned column, unsigned row);
	const void *of;
};

/* The places on the end screen; what there is no room for has a height or width of 0. */
struct end_layout {
	struct letters letters; /* of the card */
	bool small;             /* the pictures have these letters, too */
	unsigned line, lines;   /* pixels of one; how many the card has */
	struct area card, latency, noise, matrix;
	struct area square; /* for the code, just as large as it is drawn */
};

/*
 * Of a canvas whose first `top` pixels are the head's, for so many lines of the card, with a code
 * or without (NULL). On a low display the card may be higher than what is left.
 */
struct end_layout end_layout(const struct canvas *, int top, unsigned lines, const struct code *);

/* Pixels of a module in an area, as large as whole pixels allow; 0: there is no room. */
int code_dot_in(const struct area *, const struct code *);

#endif
