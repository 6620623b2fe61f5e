/* SPDX-License-Identifier: MIT */
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
 *                    | image: .text .loops       |  read, execute
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
 * own code pages, others execute what was boot services' code or touch page 0 (Linux maps all
 * three: arch/x86/platform/efi/efi_64.c); nothing of that is measured with.
 */
#ifndef KERNEL_MEMORY_LAYOUT_H
#define KERNEL_MEMORY_LAYOUT_H

#include "kernel/machine.h"
#include "kernel/memory/paging.h"

#define STACK_BYTES   (256 * 1024) /* UEFI wants 128 KiB free when it is called */
#define IST_BYTES     (16 * 1024)
#define CODE_BYTES    (2 * 1024 * 1024) /* code arena */
#define LAYOUT_STACKS 5                 /* the main one and one for each IST */

/* The parts of the work memory. */
struct layout {
	struct span tables;               /* page tables */
	struct span stack[LAYOUT_STACKS]; /* each with a guard page below */
	struct span code;                 /* code arena, aligned to 2 MiB */
	struct span work;                 /* the rest */
};

/* Divides m->work; false: it is too small. */
bool layout_divide(const struct machine *, struct layout *);
/* Builds the map that is drawn above. `serial` is the address of a memory-mapped UART or 0. */
void layout_map(const struct machine *, const struct layout *, uint64_t serial,
	struct page_tables *);
/*
 * Adds what runtime services use: the code of boot and runtime services, to be written as well, the
 * devices that the map lists for them, and page 0.
 */
void layout_runtime(const struct memory_map *, struct page_tables *);
/*
 * How a physical page may be mapped that a runtime service touches although it did not ask for it.
 * Any but broken memory and our own (the loader's types), as the firmware's own page tables have
 * it: EDK II maps all physical addresses. What is no memory is uncached above 4 GiB. No code is
 * executed in free memory or below 1 MiB: a jump there, to 0 before all, has gone astray.
 * ACCESS_NONE: not at all.
 */
unsigned layout_runtime_access(const struct memory_map *, uint64_t address);
/*
 * The same for a page that it has touched, on a processor whose physical addresses end at `end`:
 * ACCESS_NONE also beyond that, and where it was to execute what may not be executed.
 */
unsigned layout_runtime_touched(const struct memory_map *, uint64_t address, bool execute,
	uint64_t end);
/* RAM of the machine in bytes, by the memory map. */
uint64_t layout_memory(const struct memory_map *);

#endif
