/* SPDX-License-Identifier: MIT */
/*
 * Resources that an instruction needs to enter, beside its place in the window: [backend].
 * Registers and entries of the queues of loads and of branches are free again when it retires, an
 * entry of a scheduler when it starts.
 */
#ifndef TESTS_KAM_CPU_IN_FLIGHT_H
#define TESTS_KAM_CPU_IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/kam/cpu/insn.h"

struct cpu;

enum held { HELD_INTEGERS, HELD_VECTORS, HELD_LOADS, HELD_BRANCHES, HELD };
enum waiting { WAITING_ADDS, WAITING_VECTORS, WAITING_LOADS, WAITING_STORES, WAITING };

struct in_flight {
	bool limited; /* any of them is */
	/* A ring of those that retire in order: when each is free; entries 0: not limited. */
	struct {
		uint64_t entries, next, *free;
	} held[HELD];
	/* A heap of those that have not started, the first one to start at [0]. */
	struct {
		uint64_t entries, used, *start;
	} waiting[WAITING];
};

void in_flight_init(struct in_flight *, const struct cpu *);
void in_flight_free(struct in_flight *);
/* When it may enter, not before t. */
uint64_t in_flight_enter(struct in_flight *, const struct insn *, uint64_t t);
/* It waits in a scheduler until then. */
void in_flight_wait(struct in_flight *, enum waiting, uint64_t start);
/* It retires then. */
void in_flight_retire(struct in_flight *, const struct insn *, uint64_t t);

/* The scheduler of what computes. */
static inline enum waiting waiting_of(enum insn_cost cost)
{
	return cost == COST_VECTOR || cost == COST_FP_ADD || cost == COST_FP_MULTIPLY
		? WAITING_VECTORS
		: WAITING_ADDS;
}

#endif
