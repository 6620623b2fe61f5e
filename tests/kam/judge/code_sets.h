/* SPDX-License-Identifier: MIT */
/*
 * A cache of code, LRU in sets, and the entries in it that code keeps which is called again and
 * again, several turns each time. Between two calls other loops run: if they take one entry too
 * many of a set, all of the code's entries in that set are gone when its first turn needs them.
 */
#ifndef TESTS_KAM_JUDGE_CODE_SETS_H
#define TESTS_KAM_JUDGE_CODE_SETS_H

#include <stdint.h>

#include "probes/loops/loops.h"

#define CODE_SETS_MOST 4096

struct code_sets {
	unsigned sets, ways;
	unsigned unit;     /* bytes of code whose entries are in one set */
	unsigned line_ops; /* instructions of an entry; 0: one entry for all of a unit */
	unsigned own[CODE_SETS_MOST], other[CODE_SETS_MOST]; /* entries; 0 at first */
};

/* The turns of a call in which the code's entries of a set are there. */
enum code_kept { KEPT_ALWAYS, KEPT_AFTER_FIRST, KEPT_NEVER };

/* Returns the set of a byte of code. */
unsigned code_set(const struct code_sets *, uint64_t at);
/* Adds the called code: `bytes` from `at` on, each unit in `each` entries. */
void code_sets_own(struct code_sets *, uint64_t at, uint64_t bytes, unsigned each);
/*
 * Adds another loop of the image, whose section begins `section` bytes behind address 0 of that
 * code.
 */
void code_sets_other(struct code_sets *, loop_fn *loop, uint64_t section);
enum code_kept code_kept(const struct code_sets *, unsigned set);

#endif
