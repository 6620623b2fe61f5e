/* SPDX-License-Identifier: MIT */
/* The measured memory of the rooms `firmware` and `bare`: its pages and its caching. */
#ifndef KERNEL_MEMORY_ARENA_H
#define KERNEL_MEMORY_ARENA_H

#include "kernel/config.h"
#include "kernel/machine.h"
#include "engine/room.h"
#include "kernel/cpu/msr.h"

struct jsonl;

/* Fill room's arena, arena_on, cache_as and facts.pages. */
void arena_open(struct room *, const struct machine *, const struct config *);
/* At the end of a room: make all of it ordinary memory again. */
void arena_leave(void);
/*
 * Write its memory type by the firmware, the MTRRs and the page attribute table, for the run line;
 * cpus_differ: on how many CPUs it may be another.
 */
void arena_describe(struct jsonl *, unsigned cpus_differ);
/* The reason why it may not be write-back, for the console; NULL: it is. */
const char *arena_not_cached(void);

/* Choice of the firmware's free memory, to measure and to work in, by nodes. */

/*
 * Take memory that is write-back by boot_memory_types, if there is enough of it; else of any type.
 * Take memory to work in (page tables, stacks, results) and the arena on the node of the processor
 * with that APIC id, or, if the node has no memory, on the nearest node that has some; then a block
 * of each other node. Fills m->work, logs, arena, arena_node and beside. Call it before
 * ExitBootServices. Returns false if there is too little memory to work in. m->arena.bytes is 0 if
 * there is none to measure.
 */
bool memory_choose(struct machine *, uint32_t apic_id);

/*
 * Make page attribute entries 1 (PWT) and 3 (PWT and PCD) write-combining and uncached, as Linux
 * does; our page tables use no other entry but 0, and firmware's only 0 or 3. Returns NULL, or why
 * not.
 */
const char *pat_prepare(struct msr_journal *);

#endif
