/* SPDX-License-Identifier: MIT */
/*
 * The calibration of a machine before its first row: its speed, the least distance of nodes, and
 * the trial that turns its hardware prefetchers off.
 */
#ifndef ENGINE_CALIBRATION_H
#define ENGINE_CALIBRATION_H

#include <stdint.h>

#include "engine/probe_api.h"

/*
 * Fill b->prefetch if prefetch=off or both is set: compare a sequential chase with and without the
 * prefetchers. They are left as the run wants them: off for `off`, else on.
 */
void prefetch_check(struct bench *);
/* Turns them off for one row. 0; or -1 with the reason. */
int prefetch_off(struct bench *, const char **why);
/* Sets them as the run wants them, after such a row. */
void prefetch_back(struct bench *);

/* Fills b->pace. Needs an arena. */
void measure_pace(struct bench *);

#endif
