/* SPDX-License-Identifier: MIT */
/*
 * Page tables for an identity map, built in memory that the caller gives. Later mappings replace
 * earlier ones and split large pages where they must. SDM vol. 3A chapter 4.
 */
#ifndef KERNEL_MEMORY_PAGING_H
#define KERNEL_MEMORY_PAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum access {
	ACCESS_NONE = 0, /* not present: any touch is a page fault */
	ACCESS_READ = 1,
	ACCESS_WRITE = 2,     /* with READ */
	ACCESS_EXECUTE = 4,   /* with READ */
	ACCESS_COMBINING = 8, /* page attribute entry 1, see kernel/memory/memory_type.h */
	ACCESS_UNCACHED = 16, /* entry 3 */
};

/* What the processor's page tables can have: all tables of one address space the same. */
struct paging_features {
	unsigned levels;     /* 4, or 5 with CR4.LA57 */
	bool gigabyte_pages; /* CPUID 80000001h EDX[26] */
	bool no_execute;     /* else bit 63 is reserved: kernel/cpu/no_execute.h */
};

struct page_tables {
	uint64_t *root;
	struct paging_features has;
	unsigned char *pool; /* pages for tables */
	size_t pool_bytes, pool_used;
	bool exhausted; /* the pool was too small: the tables must not be loaded */
};

/* An empty address space; pool is aligned to 4 KiB. */
void page_tables_open(struct page_tables *, void *pool, size_t pool_bytes, struct paging_features);

/*
 * Maps [base, base + bytes), rounded outwards to 4 KiB, onto itself with the largest pages that
 * fit and are no larger than page_max.
 */
void page_map(struct page_tables *, uint64_t base, uint64_t bytes, unsigned access,
	uint64_t page_max);

/* Memory whose page size changes while the tables are in use: its lower tables are made once. */
struct remappable {
	uint64_t base, bytes;  /* multiples of 2 MiB */
	uint64_t *directories; /* one page per gigabyte touched */
	uint64_t *tables;      /* one page per 2 MiB; NULL: it never has 4 KiB pages */
};

/*
 * Makes the tables for r->base, r->bytes, with those for 4 KiB pages if `small`; maps it with 2 MiB
 * pages. If the pool is too small, r->bytes becomes 0: there is no such memory then.
 */
void remappable_open(struct page_tables *, struct remappable *, bool small);
/*
 * Maps it again with pages of page_bytes, read and write. Gigabyte pages only for the gigabytes
 * that lie in it whole; 2 MiB pages where it has no tables for 4 KiB ones. The caller flushes the
 * TLB by loading CR3.
 */
void remap(struct page_tables *, const struct remappable *, uint64_t page_bytes);

#endif
