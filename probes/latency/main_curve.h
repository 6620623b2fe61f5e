/* SPDX-License-Identifier: MIT */
/* What the sweep of pointer-padded and the flushed lines say of the caches and of memory. */
#ifndef PROBES_LATENCY_MAIN_CURVE_H
#define PROBES_LATENCY_MAIN_CURVE_H

#include "engine/find.h"

#define MAIN_CURVE      "pointer-padded" /* the variant */
#define MAIN_CURVE_NEXT 32               /* sizes to be measured next, at most */

/*
 * Writes the sizes of the curve in bytes: all those of the sweep in `full`; else to four times the
 * last cache that CPUID claims, or 64 MiB, and one far beyond, where page walks take part.
 */
unsigned main_curve_sizes(const struct bench *, uint64_t out[SIZES_MOST]);
/* Writes those that come besides where the curve so far shows a larger cache than that. */
unsigned main_curve_beyond(struct bench *, const struct reader *, uint64_t out[SIZES_MOST]);
/* Writes the sizes in bytes at which the curve's edges are bisected next; returns how many. */
unsigned main_curve_next(struct bench *, const struct reader *, double next[MAIN_CURVE_NEXT]);
/* Fills b->caches: a level whose edge is not resolved is there, but its size is not known. */
void main_curve_find_first(struct bench *);
/* Finds all values of the probe. */
void main_curve_find(struct bench *, struct found_values *);

#endif
