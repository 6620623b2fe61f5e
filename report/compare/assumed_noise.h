/* SPDX-License-Identifier: MIT */
/* How much repeated runs differ, before any was repeated. */
#ifndef REPORT_COMPARE_ASSUMED_NOISE_H
#define REPORT_COMPARE_ASSUMED_NOISE_H

#include "report/compare/sets.h"

/*
 * What two runs of a row differ by at most, in 95 % of the cases, as a part of it: that of
 * established tools on an untuned machine. 0.3 ... 3 % in the caches of one core, 3 ... 13 % in the
 * last cache and memory of a virtual machine, which the host's other guests use at the same time.
 */
#define NOISE_ASSUMED 0.03
#define NOISE_SHARED  0.13

/* Two values differ by less than so many of their deviation in 95 % of the cases: 1.96 sqrt(2). */
#define NOISE_DEVIATIONS (1.96 * 1.4142)

/*
 * Standard deviation between runs that is assumed of the row, as a part of it: from the two above,
 * or from how far the row's own curve scatters (curve.h), if that is more.
 */
double assumed_noise(const struct set *, const struct pooled *);

/*
 * What two single runs differ by in a room, also on a busy machine, where nothing differs but what
 * chance did (docs/method.md, "The gate"; an unknown room has `hosted`'s).
 */
struct usual {
	double typical; /* factor: standard deviation of the typical row, at most */
	double most;    /* factor that 999 of 1000 rows whose samples agree do not exceed */
};
struct usual usual_factors(const char *room);

#endif
