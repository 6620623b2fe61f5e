/* SPDX-License-Identifier: MIT */
/* Whether gaps of several processors coincide more often than by chance. */
#ifndef PROBES_NOISE_NOISE_CHANCE_H
#define PROBES_NOISE_NOISE_CHANCE_H

#include "probes/noise/noise_scan.h"

#define NOISE_CHANCE 0.001 /* an event that chance brings less often is not put down to it */

/*
 * How often a gap of one of the monitor's processors would begin within a gap of another one if
 * they had nothing to do with each other: for each two, the gaps of one times the part of the time
 * that the other spends in gaps.
 */
double noise_expected_overlaps(const struct gap_monitor *);
/*
 * Whether `count` events or more, where `expected` are expected by chance, have a probability of
 * less than NOISE_CHANCE: the upper tail of Poisson's distribution, from above.
 */
bool noise_beyond_chance(double expected, double count);

#endif
