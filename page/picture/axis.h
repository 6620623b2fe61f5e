/* SPDX-License-Identifier: MIT */
/* An axis of a picture: where a value lies on it, and what stands beside it. */
#ifndef PICTURE_AXIS_H
#define PICTURE_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum axis_kind {
	AXIS_LINEAR,
	AXIS_LOG,   /* powers of ten; of few of them 2 and 5 times these, too */
	AXIS_BYTES, /* powers of two, as sizes: 32K */
	AXIS_COUNT, /* powers of two, as numbers: 32, 64K */
	AXIS_TIME,  /* nanoseconds, powers of ten, in ns, us, ms, s */
};

struct axis {
	enum axis_kind kind;
	const char *name; /* what it is, with its unit */
	double low, high; /* AXIS_LOG and the kinds after it: above 0 */
	double per;       /* one of the unit that is shown: 1e9 for GHz of Hz; 0: 1 */
	bool whole;       /* there is nothing between whole numbers */
};

#define AXIS_TICKS 24
#define TICK_TEXT  16

struct tick {
	double value;
	char text[TICK_TEXT];
};

/* Takes a value into the axis' range; the first makes it. NAN, and on a logarithmic axis what is
 * not above 0, is left out. */
void axis_cover(struct axis *, double value);
/* Nothing covered. */
struct axis axis_empty(enum axis_kind, const char *name);
/* Whether something was; then it is made a little wider, and never empty. */
bool axis_ready(struct axis *);

/* 0 at `low`, 1 at `high`; what lies outside is at the end. */
double axis_part(const struct axis *, double value);
/* Ticks in ascending order, about `most` of them; returns how many. */
size_t axis_ticks(const struct axis *, size_t most, struct tick out[AXIS_TICKS]);

/* As many as have their numbers beside each other in that width, at least two if it can be. */
size_t axis_ticks_within(const struct axis *, double width, struct tick out[AXIS_TICKS]);

/* A number as it stands at an axis of that kind: "32K", "1 us", "0.5". */
void axis_text(const struct axis *, double value, char out[TICK_TEXT]);

#endif
