/* SPDX-License-Identifier: MIT */
/*
 * How memory is cached, by MTRRs and by the page attribute table (SDM vol. 3A 12.11 and 12.12;
 * AMD APM vol. 2, 7.7 and 7.8, alike; its 3.2.1: the default above 4 GiB).
 */
#ifndef KERNEL_MEMORY_MEMORY_TYPE_H
#define KERNEL_MEMORY_MEMORY_TYPE_H

#include "kernel/cpu/msr.h"

/* As MTRRs and PAT encode them. */
enum {
	TYPE_UNCACHED = 0,
	TYPE_WRITE_COMBINING = 1,
	TYPE_WRITE_THROUGH = 4,
	TYPE_WRITE_PROTECTED = 5,
	TYPE_WRITE_BACK = 6,
	TYPE_MIXED = 0x100, /* not the same everywhere */
	TYPE_UNKNOWN,
};

/* The type of [base, base + bytes) by the MTRRs; base is at or above 1 MiB. */
unsigned mtrr_type(const struct cpu_ops *, uint64_t base, uint64_t bytes);
/* Entry `index` of the page attribute table. */
unsigned pat_type(const struct cpu_ops *, unsigned index);
/* In words: "write-back" ... */
const char *type_name(unsigned type);

/*
 * Makes page attribute entries 1 (PWT) and 3 (PWT and PCD) write-combining and uncached, as Linux
 * has them; our page tables use no others but 0, and firmware's only 0 or 3. NULL, or why not.
 */
const char *pat_prepare(struct msr_journal *);
void pat_undo(struct msr_journal *);

#endif
