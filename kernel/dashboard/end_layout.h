/* SPDX-License-Identifier: MIT */
/* The layout of the end screen: places of the card and the pictures on displays of all sizes. */
#ifndef KERNEL_DASHBOARD_END_LAYOUT_H
#define KERNEL_DASHBOARD_END_LAYOUT_H

#include <stdbool.h>

#include "kernel/console/console.h"
#include "page/picture/raster.h"

#define CODE_DOT_LEAST 2 /* pixels of a module that a photograph still shows */
/* A code for a camera: `side` modules each way, dark or light. */
struct qr_modules {
	unsigned side;
	bool (*dark)(const void *of, unsigned column, unsigned row);
	const void *of;
};

/* The places on the end screen; a place that does not fit has a height or width of 0. */
struct end_layout {
	struct letters letters; /* of the card */
	bool small;             /* the pictures use the card's letters, too */
	unsigned line, lines;   /* pixels of a line; lines of the card */
	struct area card, latency, noise, matrix;
	struct area square; /* for the code, exactly as large as it is drawn */
};

/*
 * Lay out a canvas whose first `top` pixels are the head, for this many lines of the card, with a
 * code or without (NULL). On a low display the card may be higher than the space that is left.
 */
struct end_layout end_layout(const struct canvas *, int top, unsigned lines,
	const struct qr_modules *);

/* Pixels of a module in an area, as large as whole pixels allow; 0: it does not fit. */
int code_dot_in(const struct area *, const struct qr_modules *);

#endif
