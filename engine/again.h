/* SPDX-License-Identifier: MIT */
/*
 * Whether an edge is where it was: the rows on both sides of it are measured again at the end of
 * the run, with new data in a new order. docs/method.md, "Measured again".
 */
#ifndef ENGINE_AGAIN_H
#define ENGINE_AGAIN_H

#include "engine/find.h"

/*
 * Plans the rows again that decide the edges of a probe, as its find hook reads all rows so far,
 * but none more often than once where all times say the same, AGAIN_MOVED times where they do not.
 * Returns how many it planned.
 */
unsigned plan_again(struct bench *, const struct probe *);

#endif
