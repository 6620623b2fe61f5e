/* SPDX-License-Identifier: MIT */
/*
 * Targets of indirect jumps by what was passed before: a table that knows where a jump goes behind
 * the last so many targets of indirect jumps, calls and returns.
 */
#ifndef TESTS_KAM_CPU_INDIRECT_TARGETS_H
#define TESTS_KAM_CPU_INDIRECT_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/kam/cpu/lru_table.h"

#define TARGETS_PAST 512 /* the longest past */

struct indirect_targets {
	bool there;
	struct lru_table table; /* (jump, targets passed) -> target */
	uint64_t length;        /* targets that count */
	uint64_t passed[TARGETS_PAST], next;
	uint64_t past, oldest; /* a number of all of them together; the factor of the oldest */
};

/* `entries` targets, 0: there is no table; `length` in 1..TARGETS_PAST. */
void indirect_init(struct indirect_targets *, uint64_t entries, uint64_t length);
void indirect_free(struct indirect_targets *);
/*
 * Returns true if the table knows the jump with this history, and its target in *said. The table
 * learns the real target.
 */
bool indirect_said(struct indirect_targets *, uint64_t address, uint64_t next, uint64_t *said);
/* A target is passed. */
void indirect_pass(struct indirect_targets *, uint64_t next);

#endif
