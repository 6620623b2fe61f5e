/* SPDX-License-Identifier: MIT */
/*
 * Unicorn executes, the model keeps time. A BLOCK hook and MEM hooks tell what ran; a block is
 * given to the model when the next one begins, or up to the instruction whose result the model
 * must supply (rdtsc). Whatever does not add up ends the program.
 */
#ifndef TESTS_KAM_RUN_EMULATOR_H
#define TESTS_KAM_RUN_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unicorn/unicorn.h>

#include "tests/kam/run/blocks.h"
#include "tests/kam/cpu/model.h"

#define EVENTS 4096

struct engine {
	uc_engine *uc;
	struct model *model;
	struct blocks blocks;
	struct block *current; /* running now; NULL between calls */
	size_t done;           /* instructions of it that the model has */
	struct event {
		uint64_t address;
		uint32_t bytes;
		bool write;
	} events[EVENTS];
	size_t events_n, events_used;
	uint64_t aside; /* address that clflush or prefetch named */
	bool has_aside;
};

void engine_open(struct engine *, struct model *);
void engine_close(struct engine *);
/* Memory of this program that the guest sees at the same address; code may be run from it. */
void engine_share(struct engine *, void *base, size_t bytes, uint32_t permissions);
void engine_unshare(struct engine *, void *base, size_t bytes);
/* Code was changed: nothing that ran outside keep .. keep + keep_bytes is known any more. */
void engine_forget(struct engine *, uint64_t keep, size_t keep_bytes);
/* Watches all of the code in a range for what the model must answer. */
void engine_watch(struct engine *, const void *code, size_t bytes, uint64_t address);
/* Runs from `begin` until `end` is reached. */
void engine_run(struct engine *, uint64_t begin, uint64_t end);

#endif
