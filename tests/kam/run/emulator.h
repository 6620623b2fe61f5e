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
#include "tests/kam/run/system_insns.h"
#include "tests/kam/cpu/model.h"

#define EVENTS 4096
#define HOOKS  1024

struct emulator {
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
	uint32_t waiting;      /* bytes of the events that are not used yet */
	unsigned pieces;       /* of the load before, that are no events of their own */
	uint64_t hooks[HOOKS]; /* addresses of instructions that have one */
	size_t hooks_n;
	uint64_t rdtsc_end; /* end of an rdtsc whose result was not yet replaced, or 0 */
	uint64_t cache_op;  /* address that clflush or prefetch named */
	bool has_cache_op;
	struct system_state system;
	/* Called between two blocks if there are other cores; may run these meanwhile. */
	void (*between)(void *priv);
	void *between_priv;
	uint64_t last[2]; /* where the last load, store was that was not in the line before */
	uint64_t word;    /* where the last load was */
	uint64_t again;   /* loads from there in a row, with no store between */
	uint64_t stored;  /* the cycle of the last store, or of a WRMSR that is told */
	/* Told of each WRMSR, which Unicorn does all the same; NULL: it is not. */
	void (*wrmsr)(void *priv, uint32_t number, uint64_t value);
};

void emulator_open(struct emulator *, struct model *);
void emulator_close(struct emulator *);
/* Memory of this program that the guest sees at the same address; code may be run from it. */
void emulator_map(struct emulator *, void *base, size_t bytes, uint32_t permissions);
void emulator_unmap(struct emulator *, void *base, size_t bytes);
/* Code was changed: nothing that ran outside keep .. keep + keep_bytes is known any more. */
void emulator_invalidate_code(struct emulator *, uint64_t keep, size_t keep_bytes);
/* Runs from `begin` until `end` is reached. */
void emulator_run(struct emulator *, uint64_t begin, uint64_t end);

#endif
