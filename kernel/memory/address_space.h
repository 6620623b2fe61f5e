/* SPDX-License-Identifier: MIT */
/*
 * Page tables for an identity map, built in memory that the caller gives. Later mappings replace
 * earlier ones and split large pages where they must. SDM vol. 3A chapter 4.
 */
#ifndef KERNEL_MEMORY_ADDRESS_SPACE_H
#define KERNEL_MEMORY_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/room.h"
#include "kernel/machine.h"

enum access {
	ACCESS_NONE = 0, /* not present: any touch is a page fault */
	ACCESS_READ = 1,
	ACCESS_WRITE = 2,     /* with READ */
	ACCESS_EXECUTE = 4,   /* with READ */
	ACCESS_COMBINING = 8, /* page attribute entry 1, see kernel/memory/arena.h */
	ACCESS_UNCACHED = 16, /* entry 3 */
	ACCESS_RING_3 = 32,   /* user mode may access it, too */
};

/* Features of the processor's page tables; all tables of one address space have the same. */
struct paging_features {
	unsigned levels;     /* 4, or 5 with CR4.LA57 */
	bool gigabyte_pages; /* CPUID 80000001h EDX[26] */
	bool no_execute;     /* bit 63 may be set, else it is reserved: kernel/cpu/cpu_features.h */
};

struct page_tables {
	uint64_t *root;
	struct paging_features has;
	unsigned char *pool; /* pages for tables */
	size_t pool_bytes, pool_used;
	bool exhausted; /* the pool was too small: the tables must not be loaded */
};

/*
 * Map [base, base + bytes), rounded outwards to 4 KiB, onto itself with the largest pages that fit
 * and are no larger than page_max.
 */
void page_map(struct page_tables *, uint64_t base, uint64_t bytes, unsigned access,
	uint64_t page_max);

/*
 * The entries by which an address is translated, from the first table down; returns their number.
 * 0: nothing is mapped there.
 */
unsigned page_entries(const struct page_tables *, uint64_t address, uint64_t *out[TABLE_LEVELS]);

/* Memory whose page size changes while the tables are in use: its lower tables are made once. */
struct remappable {
	uint64_t base, bytes;  /* multiples of 2 MiB */
	uint64_t *directories; /* one page per gigabyte touched */
	uint64_t *tables;      /* one page per 2 MiB; NULL: 4 KiB pages are never used */
};

/*
 * Map it again with pages of page_bytes, read and write. Gigabyte pages cover only gigabytes that
 * lie in it whole; without tables for 4 KiB pages it gets 2 MiB pages. The caller flushes the TLB
 * by loading CR3.
 */
void remap(struct page_tables *, const struct remappable *, uint64_t page_bytes);

/*
 * The address space: everything at its physical address.
 *
 *   top of memory    +--------------------------+  or 4 GiB, whichever is higher
 *                    | memory                   |  read, write
 *                    | devices below 4 GiB      |  read, write (pflash, HPET, LAPIC, ...)
 *                    | arena                    |  read, write; pages of 1 GiB, 2 MiB or 4 KiB
 *                    | code arena               |  read, write or read, execute
 *                    | work: tables, results    |  read, write
 *                    |   guard | stack  (each)  |  no access | read, write
 *                    | image: .text .loops       |  read, execute; .loops also in ring 3
 *                    |        .rodata, header   |  read
 *                    |        .data .bss        |  read, write
 *               4096 | low memory               |  read, write, 4 KiB pages up to 2 MiB: its
 *                    |                          |  memory types are set 4 KiB wise (fixed MTRRs)
 *                  0 +--------------------------+  no access
 *
 * A framebuffer or a serial port above the top is added. Memory and what is not memory never share
 * a page: the effect of a large page over two memory types is undefined (SDM vol. 3A 12.11.9).
 *
 * After ExitBootServices the runtime services have page tables of their own, loaded only for the
 * length of a call: the same, and what layout_runtime adds. OVMF's ResetSystem writes within its
 * own code pages, others execute code of boot services or touch page 0 (Linux maps all three:
 * arch/x86/platform/efi/efi_64.c). Nothing is measured on these tables.
 */

#define STACK_BYTES   (256 * 1024) /* UEFI wants 128 KiB free when it is called */
#define IST_BYTES     (16 * 1024)
#define CODE_BYTES    (4 * 1024 * 1024) /* code arena, at most: 128 Ki jumps 32 bytes apart */
#define CODE_PART     8                 /* at most 1/8 of the work memory, at least 2 MiB */
#define LAYOUT_STACKS 5                 /* the main stack and one for each IST */

/* The parts of the work memory. */
struct memory_layout {
	struct span tables;               /* page tables */
	struct span stack[LAYOUT_STACKS]; /* each with a guard page below */
	struct span code;                 /* code arena, aligned to 2 MiB */
	struct span work;                 /* the rest */
};

/* RAM of the machine in bytes, by the memory map. */
uint64_t layout_memory(const struct memory_map *);

/* The kernel's address space (drawn above) and the memory for it. */

struct address_space {
	const struct machine *machine;
	struct page_tables tables;  /* shared by all processors */
	struct page_tables runtime; /* of the runtime services, after ExitBootServices */
	uint64_t serial;            /* as given to address_space_build */
	struct memory_layout layout;
	struct remappable arena;                 /* bytes 0: none */
	struct remappable beside[MACHINE_NODES]; /* m->beside, in 2 MiB or 1 GiB pages; bytes 0 */
};
extern struct address_space address_space;

/*
 * Divide the work memory, enable non-executable pages if the processor has them, and build the page
 * tables; do not load them. `serial` as in layout_map. Returns NULL, or why it cannot be done.
 */
const char *address_space_build(const struct machine *, uint64_t serial);
/*
 * Take bytes from the end of the work memory, aligned to 64, for good; so rows begin at the same
 * address with any display and any number of CPUs. NULL: too little. Call it before room_open.
 */
void *work_memory_take(size_t bytes);
/* Make changed page tables effective on this processor, while they are loaded. */
void address_space_flush(void);
/* After ExitBootServices, with the final memory map: build the runtime services' page tables. */
void address_space_build_runtime(void);
/*
 * Map one more page for them, while they are loaded. Returns false if they must not touch it, or
 * not execute it, or there is no memory for its tables.
 */
bool address_space_add_runtime(uint64_t address, bool execute);

/*
 * Root of page tables that map only this program, its work memory, one span (in pages of at most
 * page_bytes) and `device`, a page; its own page tables are read-only. They are kept while the
 * arguments stay the same. 0: there is no memory for them.
 */
uint64_t address_space_confine(const struct span *, uint64_t page_bytes, uint64_t device);

/* Our own image as it lies in memory, by its PE header (Microsoft, "PE Format"). */

struct image_section {
	char name[9];
	struct span span;
	bool writable, executable;
};

/* Section number i of the image, in the order of the header; false if there is none. */
bool image_section(const struct span *image, unsigned i, struct image_section *out);
/* The section that holds an address; false if none does. */
bool image_find(const struct span *image, uint64_t address, struct image_section *out);

#endif
