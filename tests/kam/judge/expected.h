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
	const char *form; /* that the line must have; NULL: any */
	/* Why "not resolved" is the only correct answer, or also a correct one; else NULL. */
	const char *must_be_unresolved, *may_be_unresolved;
	double least;  /* of "so many or more": no fewer */
	bool by_turns; /* measured at several moments: at one of them it is seen whole */
	bool stated;   /* also by the machine's file: stated.h */
};

/* Returns true if the truth is in low..high, whose upper end is open. */
static inline bool expected_within(const struct expected *d, double low, double high)
{
	return low <= d->value && d->value - d->slack < high;
}

/* Bytes of memory that the run could measure with pages of 4 KiB, and with pages of 2 MiB. */
struct measurable {
	double small, large;
};

#define EXPECTED_MOST 160

/* The truths of a run. cpu, chip, grid: judged_run.h. */
struct expected_list {
	const struct cpu *cpu, *chip;
	double grid;
	struct measurable memory;
	size_t n;
	struct expected out[EXPECTED_MOST];
};

/*
 * Add a value between two numbers; one that may be `room` more or less; one within so many per
 * cent.
 */
struct expected *expect(struct expected_list *, const char *name, double value, double low,
	double high, const char *tolerance);
struct expected *expect_near(struct expected_list *, const char *name, double value, double room,
	const char *tolerance);
struct expected *expect_percent(struct expected_list *, const char *name, double value, double p,
	const char *tolerance);
/*
 * Add a number that bisection finds: value and truth differ by `p` per cent at most, and the
 * bracket is no wider than that, but may always be `grain` wide.
 */
struct expected *expect_bisected(struct expected_list *, const char *name, double value, double p,
	double grain, const char *tolerance);
/* Returns the value of that name, or NULL. */
struct expected *expected_find(struct expected_list *, const char *name);
/* If `when`, the value must not be resolved, or need not be; the first reason counts. */
void expect_none(struct expected *, bool when, const char *why);
void expect_maybe_none(struct expected *, bool when, const char *why);
/* Do the same for the value of that name; a machine may lack it. */
void must_be_unresolved(struct expected_list *, bool when, const char *name, const char *why);
void may_be_unresolved(struct expected_list *, bool when, const char *name, const char *why);

/*
 * A neighbour takes `taken` of `ways`: the value is the whole number, or the part that the
 * neighbour leaves, or between the two. The bracket holds the whole number; its width follows from
 * the values seen. NULL: the neighbour takes nothing.
 */
struct expected *expect_shared(struct expected_list *, const char *name, uint64_t ways,
	uint64_t taken);

/* Returns how many points of a sweep that begins at `start` are above `from` and up to `to`. */
double sweep_points(const struct expected_list *, double start, double from, double to);
/* Returns true if these are enough for a plateau, which is 0.7 octaves long. */
bool sweep_plateau(const struct expected_list *, double start, double from, double to);

/* Returns true if the run's sweeps have the fewest points of all profiles. */
bool sweep_is_coarsest(const struct expected_list *);

/* Returns the bytes that the run could measure with such pages. */
double measurable_bytes(const struct measurable *, double page);

/* Adds the values of all probes: truth.h. */
void expected_values(struct expected_list *);

#endif
