/* SPDX-License-Identifier: MIT */
/* What is taken of the firmware's free memory, to measure and to work in, and on which node. */
#ifndef KERNEL_MEMORY_MEMORY_CHOICE_H
#define KERNEL_MEMORY_MEMORY_CHOICE_H

#include "kernel/machine.h"

/*
 * Takes memory to work in (page tables, stacks, results) and the arena on the node of the processor
 * with that APIC id, or, if the node has no memory, on the nearest one that has; then a block of
 * each other node. Fills m->work, logs, arena, arena_node and beside. Before ExitBootServices.
 * false: too little memory to work in. m->arena.bytes is 0 if there is none to measure.
 */
bool memory_choose(struct machine *, uint32_t apic_id);

#endif
