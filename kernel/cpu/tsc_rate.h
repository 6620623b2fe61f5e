/* SPDX-License-Identifier: MIT */
/* The rate of the TSC, by every source that the machine has, and how far they disagree. */
#ifndef KERNEL_CPU_TSC_RATE_H
#define KERNEL_CPU_TSC_RATE_H

#include <stdint.h>

#include "engine/env.h"

/*
 * Asks and times the sources, at the start, while the firmware lives (one of them is its Stall),
 * in our world, env->cpuid set. Fills env->facts.tsc*; takes about 0.3 s. -1: no source at all.
 */
int clock_measure(struct env *, uint64_t rsdp);

/* --- arithmetic, for itself and for tests --- */

/* The median of n values, which are sorted in place; n > 0. */
double clock_median(double *values, unsigned n);
/*
 * Chooses among f->tsc: a claimed rate where a timed source confirms it within 500 ppm, because it
 * then is exact; else the timed source whose value lies in the middle; else a claim. Fills tsc_hz,
 * tsc_source and tsc_disagree_ppm. -1: none.
 */
int clock_choose(struct facts *);
/* Ticks of a counter of `bits` bits that went from `first` to `last`, wrapping at most once. */
uint64_t clock_elapsed(uint64_t first, uint64_t last, unsigned bits);

#endif
