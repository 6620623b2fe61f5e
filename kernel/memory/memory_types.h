/* SPDX-License-Identifier: MIT */
/*
 * The caching that a processor's MTRRs and page attribute table give to memory (SDM vol. 3A 12.11
 * and 12.12; AMD APM vol. 2, 7.7 and 7.8, alike; its 3.2.1: the default above 4 GiB). Each
 * processor has its own; firmware should set all alike.
 */
#ifndef KERNEL_MEMORY_MEMORY_TYPES_H
#define KERNEL_MEMORY_MEMORY_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/msr.h"

/* Types of caching, as MTRRs and PAT encode them. */
enum {
	TYPE_UNCACHED = 0,
	TYPE_WRITE_COMBINING = 1,
	TYPE_WRITE_THROUGH = 4,
	TYPE_WRITE_PROTECTED = 5,
	TYPE_WRITE_BACK = 6,
	TYPE_MIXED = 0x100, /* not the same everywhere */
	TYPE_UNKNOWN,
};

#define PAGE_ATTRIBUTES 0x277 /* the MSR of the page attribute table */

#define MEMORY_RANGES 40 /* the registers 200h to 24Fh */

struct memory_types {
	bool known, on;     /* there are MTRRs; they are switched on */
	uint64_t otherwise; /* the type of an address that no range covers */
	uint64_t top;       /* AMD: end of the memory above 4 GiB that is write-back by default */
	unsigned ranges;    /* the valid ones below */
	struct {
		uint64_t base, mask;
	} range[MEMORY_RANGES];
	unsigned pat0; /* entry 0 of the page attribute table, which our page tables use */
};

/* The boot processor's are read here before memory is chosen. */
extern struct memory_types boot_memory_types;

/* Read them; every read may fault. */
void memory_types_read(const struct cpu_ops *, struct memory_types *);
/*
 * Returns true if the processor that executes this has other ones than the boot processor. Under a
 * hypervisor they decide nothing, and QEMU's are off after an INIT: then false.
 */
bool memory_types_differ(void);
/* The type at one address. *end: lowered to the place where another type may begin. */
unsigned mtrr_type_at(const struct memory_types *, uint64_t at, uint64_t *end);
/* The type of [base, base + bytes) by the MTRRs; base is at or above 1 MiB. */
unsigned mtrr_type(const struct memory_types *, uint64_t base, uint64_t bytes);
/* Returns true for write-back, and where nothing is known. */
bool may_be_back(unsigned type);
/* The type in words: "write-back" ... */
const char *type_name(unsigned type);

#endif
