/* SPDX-License-Identifier: MIT */
/*
 * A tolerance by its name: the number, and its text with the unit for what is printed, NAME_TEXT.
 * tolerances.inc has those of several probes.
 */
#ifndef TESTS_KAM_JUDGE_TOLERANCES_H
#define TESTS_KAM_JUDGE_TOLERANCES_H

#define TOLERANCE(name, number, unit, why)                                                         \
	static const double name = number;                                                         \
	static const char name##_TEXT[] __attribute__((unused)) = #number " " unit;
#include "tests/kam/judge/tolerances.inc"

/* Returns a value less, or more, so many per cent of it. */
static inline double less(double value, double percent)
{
	return value * (1 - percent / 100);
}

static inline double more(double value, double percent)
{
	return value * (1 + percent / 100);
}

#endif
