/* SPDX-License-Identifier: MIT */
/* Our GDT, TSS and IDT: one flat code and data segment, all 256 vectors, own stacks for the worst. */
#ifndef KERNEL_DESCRIPTORS_H
#define KERNEL_DESCRIPTORS_H

#include "kernel/x86.h"

/* Exceptions that must not rely on the stack they came on have one of their own. */
enum ist { IST_NONE, IST_DOUBLE_FAULT, IST_NMI, IST_MACHINE_CHECK, IST_PAGE_FAULT, ISTS };

/* One processor's tables. Static or in work memory; must not move once loaded. */
struct descriptors {
	uint64_t gdt[5]; /* null, code, data, TSS in two */
	uint64_t idt[256][2];
	uint8_t tss[104] __attribute__((aligned(16)));
};

enum { SELECT_CODE = 0x08, SELECT_DATA = 0x10, SELECT_TASK = 0x18 };

/* Fills the tables; stack_top[i] is the upper end of IST stack i (0 is not used). */
void descriptors_make(struct descriptors *, const uint64_t stack_top[ISTS]);
/* Loads them, with our segments and task register. */
void descriptors_load(struct descriptors *);

#endif
