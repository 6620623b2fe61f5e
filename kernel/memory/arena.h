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
 * Write its memory type by the firmware, the MTRRs and the page attribute table, for the run line.
 */
void arena_describe(struct jsonl *);

/* Choice of the firmware's free memory, to measure and to work in, by nodes. */

/*
 * Take memory to work in (page tables, stacks, results) and the arena on the node of the processor
 * with that APIC id, or, if the node has no memory, on the nearest node that has some; then a block
 * of each other node. Fills m->work, logs, arena, arena_node and beside. Call it before
 * ExitBootServices. Returns false if there is too little memory to work in. m->arena.bytes is 0 if
 * there is none to measure.
 */
bool memory_choose(struct machine *, uint32_t apic_id);

/*
 * Caching of memory, by MTRRs and by the page attribute table (SDM vol. 3A 12.11 and 12.12; AMD APM
 * vol. 2, 7.7 and 7.8, alike; its 3.2.1: the default above 4 GiB).
 */

/*
 * Make page attribute entries 1 (PWT) and 3 (PWT and PCD) write-combining and uncached, as Linux
 * does; our page tables use no other entry but 0, and firmware's only 0 or 3. Returns NULL, or why
 * not.
 */
const char *pat_prepare(struct msr_journal *);

#endif
