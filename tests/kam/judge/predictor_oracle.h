/* SPDX-License-Identifier: MIT */
/*
 * What a predictor that forgets gradually makes of random patterns: it is given the branches of the
 * loop alone.
 */
#ifndef TESTS_KAM_JUDGE_PREDICTOR_ORACLE_H
#define TESTS_KAM_JUDGE_PREDICTOR_ORACLE_H

#include "tests/kam/cpu/cpu.h"

/* The periods of coins that are tried. */
#define PERIOD_FROM 256
#define PERIOD_TO   65536

/* Mispredicted branches of one period of so many coins, over the period, once it is learned. */
double mispredicted(const struct cpu *, unsigned period);
/* The period at which this part of the rise from `first` to `last` coins is done. */
double period_at(const struct cpu *, unsigned first, unsigned last, double part);

#endif
