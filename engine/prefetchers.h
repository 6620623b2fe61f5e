/* SPDX-License-Identifier: MIT */
/* Rows with and without the hardware prefetchers. */
#ifndef ENGINE_PREFETCHERS_H
#define ENGINE_PREFETCHERS_H

#include "engine/probe_api.h"

/*
 * Where prefetch=off or both was asked for: fills b->prefetch by what a sequential chase takes
 * each way. Leaves them as the run wants them: off for `off`, else on.
 */
void prefetch_check(struct bench *);
/* For one row. 0; or -1 with the reason. */
int prefetch_off(struct bench *, const char **why);
/* As the run wants them, after such a row. */
void prefetch_back(struct bench *);

#endif
