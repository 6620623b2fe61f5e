/* SPDX-License-Identifier: MIT */
/* The core clock in a comparison: what it was, and which rows it paces. */
#ifndef REPORT_COMPARE_SET_CLOCK_H
#define REPORT_COMPARE_SET_CLOCK_H

#include "report/compare/sets.h"

/* Clocks that differ by no more than this part are called the same: they are no more exact. */
#define CLOCKS_ALIKE 0.01

/* Hz around the samples of a set's rows; without rows that say it, at the start of its runs. */
struct set_clock {
	double median, low, high; /* NAN: not known */
};

struct set_clock set_clock_of(const struct set *);

/* Whether the two are known and differ by more than CLOCKS_ALIKE. */
bool clocks_differ(const struct set_clock *a, const struct set_clock *b);

/*
 * Whether the core's clock alone paces the row, so that it takes the same number of core cycles at
 * any clock: a row at L1 or L2, or of a buffer that fits into the L2 that the run measured;
 * branches and instructions, address translation, associativity. Beyond L2 the caches and the
 * memory have clocks of their own.
 */
bool core_paced(const struct set *, const struct pooled *);

/*
 * Whether two rows of one measurement are compared in core cycles: the core paces both, the clock
 * of both is known, and the unit is one that has cycles.
 */
bool both_core_paced(const struct set *, const struct pooled *, const struct set *,
	const struct pooled *);

/* What the unit is in core cycles: "ns/load" "cy/load", "GB/s" "B/cy"; "" for others. */
void cycle_unit(const char *unit, char out[24]);
/* The value, of such a unit, at a clock of `hz`. */
double in_cycles(const char *unit, double value, double hz);

#endif
