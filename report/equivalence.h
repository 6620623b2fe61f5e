/* SPDX-License-Identifier: MIT */
/* When two medians are the same within noise. */
#ifndef REPORT_EQUIVALENCE_H
#define REPORT_EQUIVALENCE_H

#include "report/compare.h"

/*
 * How much repeated runs differ. If a set has several runs, their scatter is used, at least
 * NOISE_FLOOR: the clocks are not more exact. If it has one, a scatter is assumed, that of
 * established tools on an untuned machine: 0.3 ... 3 % in the caches of one core, 3 ... 13 % in the
 * last cache and memory of a virtual machine, which the host's other guests use at the same time;
 * and more where the row's own curve scatters more (curve.h).
 */
#define NOISE_ASSUMED 0.03
#define NOISE_SHARED  0.13
#define NOISE_FLOOR   0.005

/*
 * Fills cell->noise, same, clock and edge from its ratio and interval, which are in core cycles
 * where the row is compared so. The rows are the same if
 * - the interval of the ratio includes 1; or
 * - the medians differ by no more than repeated runs do; or
 * - one median lies among the other's samples, between their 5th and 95th percentile; or
 * - in time, the ratio lies between 1 and that of the core clocks (with the noise above): a time is
 *   partly core cycles, and the clocks differ. Only this one sets cell->clock; or
 * - each median lies between the neighbours of the other on its curve, and neither is straight
 *   there (curve.h): an edge lies one step of the grid further. Only this one sets cell->edge.
 */
void noise_judge(struct cell *, const struct pooled *base, const struct set *of_base,
	const struct set *of_row);

#endif
