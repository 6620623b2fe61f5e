/* SPDX-License-Identifier: MIT */
/*
 * Walks through memory whose misses two programs count: walk_natively executes one under
 * cachegrind, walk_counted executes it on the model. Both lay it out here, at the same addresses,
 * so that each line falls into the same set of both caches.
 */
#ifndef TESTS_KAM_CACHEGRIND_CACHE_WALKS_H
#define TESTS_KAM_CACHEGRIND_CACHE_WALKS_H

#include <stdint.h>

#include "probes/loops/loops.h"

#define WALK_AT          0x201000000000ull /* the memory that is walked */
#define WALK_BYTES       (64ull << 20)
#define WALK_STACK_AT    0x200020000000ull
#define WALK_STACK_BYTES (64ull << 10)

/* What is walked: by a name of the list in cache_walks.c, in `bytes` of memory, `passes` times. */
struct cache_walk {
	const char *name;
	uint64_t bytes; /* a multiple of 1 KiB, up to a half of WALK_BYTES */
	uint64_t line;  /* of the caches: two nodes of a chase may be in one */
	uint64_t passes;
	/* The call that walks; walk_lay_out sets it. */
	loop_fn *loop;
	uint64_t args[LOOP_ARGS];
};

/* The top of the stack on which the loop is called: both programs push the return address below. */
static inline uint64_t walk_stack_top(void)
{
	return WALK_STACK_AT + WALK_STACK_BYTES - 64;
}

/* Maps WALK_AT and the stack. It ends the program with a message if it cannot. */
void walk_map(void);
/* Fills the memory and sets the call. It ends the program with a message if it cannot. */
void walk_lay_out(struct cache_walk *);
/* Reads NAME BYTES LINE PASSES of a command line; it ends the program if they are none. */
struct cache_walk walk_of(char *const words[4]);

#endif
