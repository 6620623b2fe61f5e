/* SPDX-License-Identifier: MIT */
/*
 * What is found out of a machine before its first row: how fast it is, how far apart nodes must
 * lie, whether its hardware prefetchers can be turned off.
 */
#ifndef ENGINE_CALIBRATION_H
#define ENGINE_CALIBRATION_H

#include <stdint.h>

#include "engine/probe_api.h"

/*
 * Where prefetch=off or both was asked for: fills b->prefetch by what a sequential chase takes with
 * and without the prefetchers. Leaves them as the run wants them: off for `off`, else on.
 */
void prefetch_check(struct bench *);
/* Turns them off for one row. 0; or -1 with the reason. */
int prefetch_off(struct bench *, const char **why);
/* Sets them as the run wants them, after such a row. */
void prefetch_back(struct bench *);

/* Fills b->pace. Needs an arena. */
void measure_pace(struct bench *);

#endif
