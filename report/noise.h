/* SPDX-License-Identifier: MIT */
/* When two medians are the same within noise. */
#ifndef REPORT_NOISE_H
#define REPORT_NOISE_H

#include "report/compare.h"

/*
 * What one run cannot know is how much the next one would differ. Where a set has a single run,
 * this is assumed (good tools repeat to 0.3 ... 3 % in the caches of an untuned machine, worse in
 * memory); where it has several, what they show is used instead, at least NOISE_FLOOR: the clocks
 * are not known better.
 */
#define NOISE_ASSUMED 0.03
#define NOISE_FLOOR   0.005

/*
 * Fills cell->noise, same and clock; its ratio and interval are there. The rows are the same if
 * - the interval of the ratio has 1 in it; or
 * - the medians differ by no more than repeated runs do; or
 * - one median lies among the other's samples, between their 5th and 95th percentile; or
 * - the ratio lies between 1 and that of the core clocks (with the noise above): a time is partly
 *   core cycles, and the clock moved. Only this one sets cell->clock.
 */
void noise_judge(struct cell *, const struct pooled *base);

#endif
