/* SPDX-License-Identifier: MIT */
/* The accesses of a streaming loop, given to the timing model one after the other. */
#ifndef TESTS_KAM_JUDGE_STREAM_FEED_H
#define TESTS_KAM_JUDGE_STREAM_FEED_H

#include <stdbool.h>

#include "tests/kam/cpu/chip.h"
#include "tests/kam/cpu/model.h"
#include "tests/kam/judge/turn_padding.h"

#define FEED_BASE  0x201000000000ull /* as in tests/kam/run/loops_only.c */
#define FEED_STACK 0x20002003ff80ull /* likewise: the line of a call's return address */
#define FEED_CODE  0x1000

/* A stream that the model is given. */
struct feed {
	struct cpu cpu; /* with no core but the first */
	struct model *model;
	struct chip *chip; /* where the arena is on another node than the core; NULL: on its own */
	uint64_t at;       /* address of the next instruction */
	unsigned padding;  /* instructions of a turn that do nothing: turn_padding.h */
};

/*
 * Sets up the first core of a machine, with so many bytes of its arena in pages of 2 MiB, for the
 * accesses of this loop.
 */
void feed_begin(struct feed *, const struct cpu *, uint64_t bytes, loop_fn *);
void feed_end(struct feed *);

/* Gives an instruction; next: the address that it goes to, 0: the instruction behind it. */
void feed_step(struct feed *, struct insn, uint64_t load, uint64_t store, uint64_t next);
/* Gives a load; one in four is added to one of two sums, as in the loops. */
void feed_load(struct feed *, uint64_t address, unsigned width, unsigned place);
/* Gives the load of a byte, which is then added to one of four sums. */
void feed_byte(struct feed *, uint64_t address, unsigned place);
/* Gives a store; copied: of the data that feed_copy_load() loaded at this place. */
void feed_store(struct feed *, uint64_t address, unsigned width, unsigned place, bool copied);
void feed_copy_load(struct feed *, uint64_t address, unsigned width, unsigned place);
/*
 * Moves the cursors and the counter on, and jumps back to the first access unless it was the last
 * turn.
 */
void feed_close(struct feed *, unsigned cursors, bool last);

#endif
