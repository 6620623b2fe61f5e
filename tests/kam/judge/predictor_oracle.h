/* SPDX-License-Identifier: MIT */
/*
 * Mispredictions of random patterns by a predictor that forgets gradually: it is given the branches
 * of the loop alone.
 */
#ifndef TESTS_KAM_JUDGE_PREDICTOR_ORACLE_H
#define TESTS_KAM_JUDGE_PREDICTOR_ORACLE_H

#include "tests/kam/cpu/cpu.h"

/*
 * Periods, in coins, that are tried; those beyond PERIOD_TO only if the rise has not ended there.
 */
#define PERIOD_FROM 256
#define PERIOD_TO   65536
#define PERIOD_MOST 524288

/* Returns the longest period tried. */
unsigned longest_period(const struct cpu *);

/* Returns the mispredicted branches of one period, once it is learned, divided by its coins. */
double mispredicted(const struct cpu *, unsigned period);
/* Returns the period at which this part of the rise from `first` to `last` coins is done. */
double period_at(const struct cpu *, unsigned first, unsigned last, double part);

#endif
