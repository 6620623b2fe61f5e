/* SPDX-License-Identifier: MIT */
/* An axis of a picture: the place of a value on it, and the numbers beside it. */
#ifndef PICTURE_AXIS_H
#define PICTURE_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum axis_kind {
	AXIS_LINEAR,
	AXIS_LOG,   /* powers of ten; if they are few, 2 and 5 times these, too */
	AXIS_BYTES, /* powers of two, as sizes: 32K */
	AXIS_COUNT, /* powers of two, as numbers: 32, 64K */
	AXIS_TIME,  /* nanoseconds, powers of ten, in ns, us, ms, s */
};

struct axis {
	enum axis_kind kind;
	const char *name; /* the quantity, with its unit */
	double low, high; /* AXIS_LOG and the kinds after it: above 0 */
	double per;       /* shown unit in units of the value: 1e9 for GHz of Hz; 0: 1 */
	bool whole;       /* only whole numbers are possible */
};

#define AXIS_TICKS 24
#define TICK_TEXT  16

struct tick {
	double value;
	char text[TICK_TEXT];
};

/*
 * Extend the axis' range to include a value; the first value makes it. NAN is left out, and on a
 * logarithmic axis values that are not above 0.
 */
void axis_cover(struct axis *, double value);
/* An axis that covers nothing. */
struct axis axis_empty(enum axis_kind, const char *name);
/* Returns true if it covers a value; the range is then widened a little, and never empty. */
bool axis_ready(struct axis *);

/* 0 at `low`, 1 at `high`; values outside are put at the end. */
double axis_part(const struct axis *, double value);
/* Write ticks in ascending order, about `most` of them; return how many. */
size_t axis_ticks(const struct axis *, size_t most, struct tick out[AXIS_TICKS]);

/*
 * Write as many ticks as fit beside each other with their numbers in this width, at least two if
 * possible; return how many.
 */
size_t axis_ticks_within(const struct axis *, double width, struct tick out[AXIS_TICKS]);

/* Write a number as it stands at an axis of that kind: "32K", "1 us", "0.5". */
void axis_text(const struct axis *, double value, char out[TICK_TEXT]);

#endif
