/* SPDX-License-Identifier: MIT */
/* The front end's guesses: directions, targets, returns. */
#ifndef TESTS_KAM_CPU_BRANCH_PREDICTOR_H
#define TESTS_KAM_CPU_BRANCH_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/kam/cpu/indirect_targets.h"
#include "tests/kam/cpu/insn.h"
#include "tests/kam/cpu/lru_table.h"
#include "tests/kam/cpu/tagged_tables.h"

#define RETURN_STACK 256
#define BASE_ENTRIES 4096

enum prediction {
	PREDICTED_RIGHT, /* went on without a loss */
	PREDICTED_SOON,  /* target known to the second level */
	PREDICTED_LATE,  /* right direction, target known only at decode */
	PREDICTED_WRONG, /* found out when the branch was resolved */
	NOT_PREDICTED,   /* no predictor: waits for every branch */
};

struct branch {
	uint64_t kind;            /* enum predictor */
	struct lru_table history; /* (branch, past outcomes) -> 2-bit counter */
	struct tagged_tables tagged;
	struct lru_table targets; /* branch -> target, of the first level, */
	struct lru_table all;     /* and of both */
	uint64_t near;            /* bytes ahead that are fetched anyway */
	struct lru_table base;    /* branch -> 2-bit counter, and how hard it is */
	uint64_t past;            /* global history, newest outcome in bit 0 */
	uint64_t returns[RETURN_STACK];
	uint64_t depth, top, held; /* capacity, next slot, entries held */
	uint64_t beyond;           /* enum beyond: what becomes of calls that it does not hold */
	bool lost;                 /* all calls, and those that come: BEYOND_WRONG */
	struct indirect_targets indirect;
};

struct cpu;

void branch_init(struct branch *, const struct cpu *);
void branch_free(struct branch *);
/* Predicts the branch, learns what it did. */
enum prediction branch_predict(struct branch *, const struct insn *, uint64_t next);

#endif
