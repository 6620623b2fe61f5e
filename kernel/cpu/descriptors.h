/* SPDX-License-Identifier: MIT */
/*
 * GDT, TSS and IDT of one processor: flat segments, all 256 vectors, separate stacks (IST) for
 * some.
 */
#ifndef KERNEL_CPU_DESCRIPTORS_H
#define KERNEL_CPU_DESCRIPTORS_H

#include "kernel/cpu/x86.h"

/* Exceptions that cannot rely on the current stack have one of their own. */
enum ist { IST_NONE, IST_DOUBLE_FAULT, IST_NMI, IST_MACHINE_CHECK, IST_PAGE_FAULT, ISTS };

/*
 * The task register cannot be emptied again for a firmware that has no task. EDK II restores the
 * task register of other processors if its selector lies within the GDT's limit; so the task's
 * selector here lies beyond any firmware's GDT (found with OVMF: #GP on the other processors at
 * ExitBootServices).
 */
#define GDT_ENTRIES 256
#define GDT_TASK    (GDT_ENTRIES - 2)

/* One processor's tables. Static or in work memory; must not move once loaded. */
struct descriptors {
	uint64_t gdt[GDT_ENTRIES]; /* null, code, data ... TSS in the last two */
	uint64_t idt[256][2];
	uint8_t tss[104] __attribute__((aligned(16)));
};

#define TASK_BUSY (1ULL << 41) /* in a task descriptor: ltr refuses it */

enum { SELECT_CODE = 0x08, SELECT_DATA = 0x10, SELECT_TASK = GDT_TASK * 8 };

/* Fills the tables; stack_top[i] is the upper end of IST stack i (0 is not used). */
void descriptors_make(struct descriptors *, const uint64_t stack_top[ISTS]);
/* Loads them, with the segment and task registers. */
void descriptors_load(struct descriptors *);

#endif
