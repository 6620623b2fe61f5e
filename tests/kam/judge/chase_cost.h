/* SPDX-License-Identifier: MIT */
/* Cycles of a chase in random order through the caches: closed forms of what LRU holds. */
#ifndef TESTS_KAM_JUDGE_CHASE_COST_H
#define TESTS_KAM_JUDGE_CHASE_COST_H

#include <stdbool.h>

#include "tests/kam/cpu/cpu.h"

/*
 * Returns the cycles of a load, with elements of `element` bytes. With adjacent-line prefetch, a
 * line that L2 misses comes with the other one of its pair.
 */
double chase_cycles(const struct cpu *, double bytes, double element);
/* Returns true if a prefetcher may follow a chase in random order. */
bool chase_followed(const struct cpu *);
/*
 * Returns true if one level clearly holds the buffer and those above clearly do not, so that the
 * cost is not a matter of chance.
 */
bool chase_is_clear(const struct cpu *, double bytes);

#endif
