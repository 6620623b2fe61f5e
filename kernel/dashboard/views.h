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

/*
 * picture_view.c: pictures of result lines on the display, by the same choice of rows as in the
 * report (page/), drawn
 * as pixels. Making them takes memory, which is given once and used anew by every call.
 */

#define STRIP_PLACES 16 /* at most */

/* For all that follows; bytes 0: no pictures are drawn. */
void picture_memory(void *memory, size_t bytes);

/*
 * Draws what n bytes of result lines have, a picture in each place and none twice. What is empty
 * says why.
 */
void view_pictures(const struct canvas *, const struct end_layout *, const char *lines, size_t n);

/*
 * Draws the picture that the last row of the probe in those lines belongs to. Returns its name;
 * NULL: no picture shows it, or too little memory, and nothing is drawn then.
 */
const char *view_probe(const struct canvas *, const struct area *, const char *probe,
	const char *lines, size_t n);
/* The same in small in one of the strip's places, below its name: in its own, or the next. */
struct strip {
	struct area area;
	const char *names[STRIP_PLACES]; /* of those drawn; NULL: none yet */
	unsigned next;
};
void view_in_strip(const struct canvas *, struct strip *, const char *probe, const char *lines,
	size_t n);

#endif
