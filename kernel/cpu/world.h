/* SPDX-License-Identifier: MIT */
/*
 * Two worlds on one processor. The firmware's: its page tables, descriptor tables, control
 * registers, interrupts on. Ours: those of kernel/, interrupts off. While the firmware lives we
 * live in ours and go over only for the length of a call (kernel/firmware/firmware_calls.c); after the exit there
 * is only ours. The stack is ours in both: it is ordinary memory to the firmware.
 *
 * Order: page tables change only while our descriptor tables are loaded, which both page tables
 * map: an NMI at any moment finds a handler that can be executed.
 */
#ifndef KERNEL_CPU_WORLD_H
#define KERNEL_CPU_WORLD_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/cpu/descriptors.h"
#include "kernel/memory/layout.h"
#include "kernel/memory/paging.h"

/* What the firmware had loaded. */
struct firmware_state {
	uint64_t cr0, cr3, cr4, xcr0;
	struct table_register gdt, idt;
	struct segments segments;
	uint16_t task;
	bool interrupts;
};

struct world {
	struct firmware_state firmware;
	bool firmware_lives;
	uint64_t cr0, cr3, cr4, xcr0; /* ours */
	struct page_tables tables;
	struct layout layout;
	struct descriptors descriptors;
	struct remappable arena; /* bytes 0: none */
};
extern struct world world;

/*
 * Divides the work memory and builds our world; does not enter it. Returns NULL, or why it cannot
 * be. `serial` as in layout_map.
 */
const char *world_open(const struct machine *, uint64_t serial);
/* Takes bytes of the work memory for good; NULL: too little. Before env_open. */
void *world_take(size_t bytes);
/* After the exit: there is no firmware to return to, and its memory map is final. */
void world_firmware_gone(const struct machine *);
/* Makes changed page tables effective, in our world. */
void world_flush(void);

/* What this processor has loaded now; and its descriptor tables loaded again. */
void world_read(struct firmware_state *);
void world_restore_tables(const struct firmware_state *);
void world_load_our_tables(void);
void world_set_vectors(uint64_t xcr0);

/*
 * Going over; nothing is done when the firmware is gone. Inlined, so that a firmware with a shadow
 * stack (CR4.CET) sees calls and returns in pairs.
 */
static inline __attribute__((always_inline)) void world_enter_ours(void)
{
	if (!world.firmware_lives)
		return;
	cli();
	world_load_our_tables();
	write_cr4(
		world.cr4); /* clears PCIDE, which CR3 below must not have; and CET before CR0.WP */
	write_cr0(world.cr0);
	write_cr3(world.cr3);
	world_set_vectors(world.xcr0);
}

static inline __attribute__((always_inline)) void world_enter_firmware(void)
{
	const struct firmware_state *f = &world.firmware;

	if (!world.firmware_lives)
		return;
	write_cr3(f->cr3 & ~0xfffULL); /* setting PCIDE demands PCID 0 */
	write_cr0(f->cr0);
	write_cr4(f->cr4);
	write_cr3(f->cr3);
	world_set_vectors(f->xcr0);
	world_restore_tables(f);
	if (f->interrupts)
		sti();
}

#endif
