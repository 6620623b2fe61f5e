/* SPDX-License-Identifier: MIT */
/*
 * The kernel's address space (drawn in kernel/memory/layout.h) and the memory that it is made of.
 */
#ifndef KERNEL_MEMORY_ADDRESS_SPACE_H
#define KERNEL_MEMORY_ADDRESS_SPACE_H

#include "kernel/machine.h"
#include "kernel/memory/layout.h"
#include "kernel/memory/paging.h"

struct address_space {
	struct page_tables tables;  /* shared by all processors */
	struct page_tables runtime; /* of the runtime services, after ExitBootServices */
	uint64_t serial;            /* as given to address_space_build */
	struct layout layout;
	struct remappable arena;                 /* bytes 0: none */
	struct remappable beside[MACHINE_NODES]; /* m->beside, in 2 MiB or 1 GiB pages; bytes 0 */
};
extern struct address_space address_space;

/*
 * Divides the work memory, enables non-executable pages where the processor has them, and builds
 * the page tables; does not load them. `serial` as in layout_map. NULL, or why it cannot be done.
 */
const char *address_space_build(const struct machine *, uint64_t serial);
/*
 * Takes bytes of the end of the work memory, aligned to 64, for good: rows begin where they do with
 * any display and any number of CPUs. NULL: too little. Before room_open.
 */
void *work_memory_take(size_t bytes);
/* Makes changed page tables effective on this processor, while they are loaded. */
void address_space_flush(void);
/* After ExitBootServices, with the final memory map: builds the runtime services' page tables. */
void address_space_build_runtime(const struct machine *);
/*
 * Maps one page more for them, while they are loaded. false: they may not touch it, or not execute
 * it, or there is no memory for its tables.
 */
bool address_space_add_runtime(const struct machine *, uint64_t address, bool execute);

#endif
