/* SPDX-License-Identifier: MIT */
/* Cycles of a chase in random order through the caches: closed forms of what LRU holds. */
#ifndef TESTS_KAM_JUDGE_CHASE_COST_H
#define TESTS_KAM_JUDGE_CHASE_COST_H

#include <stdbool.h>

#include "tests/kam/cpu/cpu.h"

/* Elements of so many bytes. What L2 lacks comes with the line that makes a pair with it. */
double chase_cycles(const struct cpu *, double bytes, double element);
/* Whether a prefetcher may follow a chase in random order. */
bool chase_followed(const struct cpu *);
/* Whether a level holds it well, no level above does, and chance is not all there is. */
bool chase_is_clear(const struct cpu *, double bytes);

#endif
