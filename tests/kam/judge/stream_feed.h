/* SPDX-License-Identifier: MIT */
/* The accesses of a streaming loop, given to the timing model one after the other. */
#ifndef TESTS_KAM_JUDGE_STREAM_FEED_H
#define TESTS_KAM_JUDGE_STREAM_FEED_H

#include <stdbool.h>

#include "tests/kam/cpu/model.h"

#define FEED_BASE  0x201000000000ull /* as in tests/kam/run/loops_only.c */
#define FEED_STACK 0x20002003ff80ull /* likewise: the line of a call's return address */
#define FEED_CODE  0x1000

/* A stream that the model is given. */
struct feed {
	struct model *model;
	uint64_t at; /* address of the next instruction */
};

/* An instruction; next: where it goes, 0: to the one behind it. */
void feed_step(struct feed *, struct insn, uint64_t load, uint64_t store, uint64_t next);
/* One in four is added to one of two sums, as in the loops. */
void feed_load(struct feed *, uint64_t address, unsigned width, unsigned place);
/* copied: what feed_copy_load() loaded at this place. */
void feed_store(struct feed *, uint64_t address, unsigned width, unsigned place, bool copied);
void feed_copy_load(struct feed *, uint64_t address, unsigned width, unsigned place);
/* The cursors and the counter move on; back to the first access unless it was the last turn. */
void feed_close(struct feed *, unsigned cursors, bool last);

#endif
