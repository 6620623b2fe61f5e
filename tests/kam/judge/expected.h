/* SPDX-License-Identifier: MIT */
/* The value expected of each summary line on a simulated machine, and its tolerance. */
#ifndef TESTS_KAM_JUDGE_EXPECTED_H
#define TESTS_KAM_JUDGE_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/kam/cpu/cpu.h"

struct expected {
	const char *name;    /* of the summary line */
	double value;        /* the truth */
	double low, high;    /* accepted, */
	double below, above; /* but for what lies between these; equal: all */
	bool bracketed;      /* the summary's own bracket must hold the truth, less `slack` */
	double slack;  /* entries that the measuring loop itself takes, lines that chance does */
	double widest; /* bracket, high - low: what bisection leaves */
	bool soft;     /* no cliff: the bracket may be wider, with the rise beside it */
	/* A cliff: where the sweep has a row of this size, the value is that size. */
	bool exact_where_tried;
	const char *tolerance;
	/* Why "not resolved" is the only correct answer, or also a correct one; else NULL. */
	const char *must_be_unresolved, *may_be_unresolved;
	double least;  /* of "so many or more": no fewer */
	bool by_turns; /* measured at several moments: at one of them it is seen whole */
	bool stated;   /* also by the machine's file: stated.h */
};

#define EXPECTED_MOST 160

/* Whether the truth is in low..high, whose upper end is open. */
static inline bool expected_within(const struct expected *d, double low, double high)
{
	return low <= d->value && d->value - d->slack < high;
}

/* Core cycles in a second, of which jitter takes a part: half of `jitter_ticks` each time. */
double clock_beside_jitter(const struct cpu *);

/* Bytes of memory that the run could measure with pages of 4 KiB, and with pages of 2 MiB. */
struct measurable {
	double small, large;
};

/* Of these pages. */
double measurable_bytes(const struct measurable *, double page);

/*
 * Of both: judged_run.h. grid: factor from one size of a sweep to the next, above 1. Returns how
 * many.
 */
size_t expected_values(const struct cpu *, const struct cpu *chip, double grid,
	const struct measurable *, struct expected out[EXPECTED_MOST]);

#endif
