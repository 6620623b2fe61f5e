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

/* The list while it is made. grid: factor from one size of a sweep to the next, above 1. */
struct expected_list {
	struct expected *out;
	size_t n;
	double grid;
};

/* A value between two numbers; by so much more or less; within so many per cent. */
struct expected *expect(struct expected_list *, const char *name, double value, double low,
	double high, const char *tolerance);
struct expected *expect_near(struct expected_list *, const char *name, double value, double room,
	const char *tolerance);
struct expected *expect_percent(struct expected_list *, const char *name, double value, double p,
	const char *tolerance);
/*
 * A number that bisection finds: value and truth differ by `p` per cent at most, and the bracket is
 * as wide at most, but may always be `grain` wide.
 */
struct expected *expect_bisected(struct expected_list *, const char *name, double value, double p,
	double grain, const char *tolerance);
/* That of a name; NULL: there is none. */
struct expected *expected_find(struct expected *list, size_t n, const char *name);
/* Where that is so, it must not be resolved, or need not be; the first reason for that counts. */
void expect_none(struct expected *, bool when, const char *why);
void expect_maybe_none(struct expected *, bool when, const char *why);

/* The values of single probes: rows_*.c. cpu: as the first core has the arena; chip: stated. */
void expect_limits(struct expected_list *, const struct cpu *);
void expect_backend(struct expected_list *, const struct cpu *);
void expect_frontend(struct expected_list *, const struct cpu *);
void expect_privileged(struct expected_list *, const struct cpu *);
void expect_walks(struct expected_list *, const struct cpu *);
void expect_storeload(struct expected_list *, const struct cpu *);
void expect_indirect(struct expected_list *, const struct cpu *);
void expect_atomics(struct expected_list *, const struct cpu *, const struct cpu *chip);

/* Core cycles in a second, of which jitter takes a part: half of `jitter_ticks` each time. */
double clock_beside_jitter(const struct cpu *);

/* Bytes of memory that the run could measure with pages of 4 KiB, and with pages of 2 MiB. */
struct measurable {
	double small, large;
};

/* Of these pages. */
double measurable_bytes(const struct measurable *, double page);

/* Marks what a run with this grid cannot resolve on a machine: unresolvable.c. */
void mark_unresolvable(const struct cpu *, double grid, const struct measurable *,
	struct expected *list, size_t n);

/*
 * Of both: judged_run.h. grid: factor from one size of a sweep to the next, above 1. Returns how
 * many.
 */
size_t expected_values(const struct cpu *, const struct cpu *chip, double grid,
	const struct measurable *, struct expected out[EXPECTED_MOST]);

#endif
