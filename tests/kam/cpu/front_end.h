/* SPDX-License-Identifier: MIT */
/*
 * When instructions are fetched and decoded: [frontend]. Code is in windows; an op cache has lines
 * of so many ops of one window, and what it has comes at its rate. All else is decoded, at the rate
 * of the decoders or of the bytes that L1I or L2 give, whichever is less, and is then in the op
 * cache. A window with a jump that ends at a multiple of 32 bytes, or crosses it, may not be.
 */
#ifndef TESTS_KAM_CPU_FRONT_END_H
#define TESTS_KAM_CPU_FRONT_END_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/insn.h"

struct cpu;

struct front_end {
	bool on, op_cache;
	struct cache ops; /* lines: front_end.c, line_number */
	struct cache l1i;
	uint64_t at;                   /* when the next instruction is there, in FRONT_END_UNITs */
	uint64_t window, line, behind; /* of the last one; the address behind it */
	unsigned in_window;            /* instructions in the window before the next one */
	bool held, in_l1i;             /* what is being read: from the op cache, from L1I */
};

#define FRONT_END_UNIT (1ull << 20) /* of a cycle */

void front_end_init(struct front_end *, const struct cpu *);
void front_end_free(struct front_end *);
/* The cycle at which an instruction is there, not before t. */
uint64_t front_end_enter(struct front_end *, const struct cpu *, const struct insn *, uint64_t t);
/* Nothing is held any more. */
void front_end_forget(struct front_end *);

#endif
