/* SPDX-License-Identifier: MIT */
/* The pictures of the display, drawn on a canvas from what they are given. */
#ifndef KERNEL_DASHBOARD_VIEWS_H
#define KERNEL_DASHBOARD_VIEWS_H

#include "infer/card.h"
#include "kernel/console/screen.h"
#include "picture/pixels.h"

/* On every view: whose numbers these are. */
struct headline {
	const char *right; /* "room bare, 2 of 2" */
	const struct card *card;
};

/* What a running room does. */
struct running {
	const char *text; /* "[3/80] at most 9 s left: latency random-lines 32 KiB" */
	size_t n;
	double part; /* of the profile's time that is over: 0 to 1 */
};

/* Text of the same size as below the canvas. */
struct place view_place(const struct canvas *);
/* The head, and in large letters if the machine is not real. Pixels from the top that it takes. */
int view_head(const struct canvas *, const struct headline *);
/* What runs, and a bar below it, at y: so many lines of text high. */
#define VIEW_RUNNING_LINES 3
void view_running(const struct canvas *, int y, const struct running *);

#define CODE_DOT_LEAST 2 /* pixels of a module that a photograph still shows */
/* What a camera reads: `side` modules each way, dark or light. */
struct code {
	unsigned side;
	bool (*dark)(const void *of, unsigned column, unsigned row);
	const void *of;
};
/* Pixels of a module in an area, as large as whole pixels allow; 0: there is no room. */
int view_code_dot(const struct area *, const struct code *);
/*
 * Black on white, with the white around it that it needs, from the left upper corner of the area
 * on. Pixels of a module; 0: there is no room, and nothing is drawn.
 */
int view_code(const struct canvas *, const struct area *, const struct code *);
/* The places on the end screen; what there is no room for has a height or width of 0. */
struct end_layout {
	struct letters letters; /* of the card */
	bool small;             /* the pictures have these letters, too */
	unsigned line, lines;   /* pixels of one; how many the card has */
	struct area card, latency, noise, matrix;
	struct area square; /* for the code, just as large as it is drawn */
};
/* Of a canvas whose first `top` pixels are the head's, with a code or without (NULL). */
struct end_layout end_layout(const struct canvas *, int top, const struct card *,
	const struct code *);

void view_card(const struct canvas *, const struct end_layout *, const struct card *);

#endif
