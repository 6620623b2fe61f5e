/* SPDX-License-Identifier: MIT */
#include "kernel/memory/address_space.h"

#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/no_execute.h"
#include "kernel/cpu/x86.h"

struct address_space address_space;

const char *address_space_build(const struct machine *m, uint64_t serial)
{
	struct address_space *a = &address_space;
	struct no_execute found;
	unsigned levels = read_cr4() & CR4_LA57 ? 5 : 4;

	if (!layout_divide(m, &a->layout))
		return "too little memory to work in";
	page_tables_open(&a->tables, (void *)a->layout.tables.base, a->layout.tables.bytes, levels,
		cpu_gigabyte_pages());
	a->tables.all_executable = !no_execute_enable(&this_cpu, &found); /* it may stay so */
	layout_map(m, &a->layout, serial, &a->tables);
	a->arena.base = m->arena.base;
	a->arena.bytes = m->arena.bytes;
	if (a->arena.bytes && !remappable_open(&a->tables, &a->arena, true))
		a->arena.bytes = 0;
	for (unsigned i = 0; i < m->nbeside; i++) {
		a->beside[i].base = m->beside[i].span.base;
		a->beside[i].bytes = m->beside[i].span.bytes;
		if (!remappable_open(&a->tables, &a->beside[i], false))
			a->beside[i].bytes = 0;
	}
	return a->tables.exhausted ? "the memory map needs more page tables than fit" : NULL;
}

void *work_memory_take(size_t bytes)
{
	struct span *work = &address_space.layout.work;
	void *at = (void *)work->base;

	bytes = (bytes + 63) & ~(size_t)63;
	if (bytes > work->bytes)
		return NULL;
	work->base += bytes;
	work->bytes -= bytes;
	return at;
}

void address_space_flush(void)
{
	write_cr3((uint64_t)address_space.tables.root);
}

void address_space_map_runtime(const struct machine *m)
{
	layout_runtime(&m->map, &address_space.tables);
	address_space_flush();
}
