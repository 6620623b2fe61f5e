/* SPDX-License-Identifier: MIT */
/*
 * What a predictor that forgets gradually makes of random patterns: it is given the branches of the
 * loop alone.
 */
#ifndef TESTS_KAM_JUDGE_PREDICTOR_ORACLE_H
#define TESTS_KAM_JUDGE_PREDICTOR_ORACLE_H

#include "tests/kam/cpu/cpu.h"

/* The periods of coins that are tried; beyond PERIOD_TO where the rise has not ended there. */
#define PERIOD_FROM 256
#define PERIOD_TO   65536
#define PERIOD_MOST 524288

/* The longest one. */
unsigned longest_period(const struct cpu *);

/* Mispredicted branches of one period of so many coins, over the period, once it is learned. */
double mispredicted(const struct cpu *, unsigned period);
/* The period at which this part of the rise from `first` to `last` coins is done. */
double period_at(const struct cpu *, unsigned first, unsigned last, double part);

#endif
