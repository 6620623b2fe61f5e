/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/safe.h"
#include "kernel/cpu/world.h"

struct world world;

#define TASK_BUSY (1ULL << 41)

void world_read(struct firmware_state *f)
{
	f->cr0 = read_cr0();
	f->cr3 = read_cr3();
	f->cr4 = read_cr4();
	f->xcr0 = f->cr4 & CR4_OSXSAVE ? xgetbv(0) : 0;
	store_gdt(&f->gdt);
	store_idt(&f->idt);
	f->segments = read_segments();
	f->task = store_task();
	f->interrupts = read_flags() & FLAG_IF;
}

/*
 * What we change: supervisor protections that a flat world has no use for are off (SMEP and SMAP
 * concern user pages, of which there are none), CET is off because we have no shadow stack, PCIDE
 * and PGE are off so that loading CR3 flushes everything. LA57 cannot change in long mode, MCE
 * stays as the firmware wants it.
 */
static void choose_control(struct world *w)
{
	const struct firmware_state *f = &w->firmware;

	w->cr0 = (f->cr0 | CR0_MP | CR0_NE | CR0_WP) &
		~(uint64_t)(CR0_EM | CR0_TS | CR0_AM | CR0_CD | CR0_NW);
	w->cr4 = f->cr4 &
		~(CR4_PGE | CR4_PCIDE | CR4_SMEP | CR4_SMAP | CR4_CET | CR4_PKE | CR4_PKS |
			CR4_TSD);
	w->cr4 |= CR4_PAE | CR4_DE | CR4_OSFXSR | CR4_OSXMMEXCPT;
	w->xcr0 = cpu_vector_state();
	if (w->xcr0)
		w->cr4 |= CR4_OSXSAVE;
}

static void make_descriptors(struct world *w)
{
	uint64_t top[ISTS] = { 0 };

	for (unsigned i = 1; i < ISTS; i++)
		top[i] = w->layout.stack[i].base + w->layout.stack[i].bytes;
	descriptors_make(&w->descriptors, top);
}

_Static_assert(LAYOUT_STACKS == ISTS, "a stack for each IST, and the main one");

const char *world_open(const struct machine *m, uint64_t serial)
{
	struct world *w = &world;
	unsigned levels = read_cr4() & CR4_LA57 ? 5 : 4;

	world_read(&w->firmware);
	w->firmware_lives = true;
	if (!layout_divide(m, &w->layout))
		return "too little memory to work in";
	choose_control(w);
	make_descriptors(w);
	page_tables_open(&w->tables, (void *)w->layout.tables.base, w->layout.tables.bytes, levels,
		cpu_gigabyte_pages());
	layout_map(m, &w->layout, serial, &w->tables);
	w->arena.base = m->arena.base;
	w->arena.bytes = m->arena.bytes;
	if (w->arena.bytes && remappable_open(&w->tables, &w->arena))
		w->arena.bytes = 0;
	if (w->tables.exhausted)
		return "the memory map needs more page tables than fit";
	w->cr3 = (uint64_t)w->tables.root;
	/* U-Boot leaves it off; then bit 63 of an entry is reserved. Nobody minds that it stays on. */
	wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_NXE);
	return NULL;
}

void *world_take(size_t bytes)
{
	struct span *work = &world.layout.work;
	void *at = (void *)work->base;

	bytes = (bytes + 63) & ~(size_t)63;
	if (bytes > work->bytes)
		return NULL;
	work->base += bytes;
	work->bytes -= bytes;
	return at;
}

void world_load_our_tables(void)
{
	descriptors_load(&world.descriptors);
}

void world_restore_tables(const struct firmware_state *f)
{
	load_gdt(&f->gdt);
	load_segments(f->segments);
	if (f->task) { /* most firmware has no task loaded */
		((uint64_t *)f->gdt.base)[f->task / 8] &= ~TASK_BUSY;
		load_task(f->task);
	}
	load_idt(&f->idt);
}

void world_set_vectors(uint64_t xcr0)
{
	if (xcr0)
		safe_xsetbv(0, xcr0);
}

void world_flush(void)
{
	write_cr3(world.cr3);
}

void world_firmware_gone(const struct machine *m)
{
	world.firmware_lives = false;
	layout_runtime(&m->map, &world.tables);
	world_flush();
}
