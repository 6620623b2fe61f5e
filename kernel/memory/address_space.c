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

	a->serial = serial;
	if (!layout_divide(m, &a->layout))
		return "too little memory to work in";
	page_tables_open(&a->tables, (void *)a->layout.tables.base, a->layout.tables.bytes,
		(struct paging_features){
			.levels = read_cr4() & CR4_LA57 ? 5 : 4,
			.gigabyte_pages = cpu_gigabyte_pages(),
			.no_execute = no_execute_enable(&this_cpu, &found), /* it may stay so */
		});
	layout_map(m, &a->layout, serial, &a->tables);
	a->arena.base = m->arena.base;
	a->arena.bytes = m->arena.bytes;
	remappable_open(&a->tables, &a->arena, true);
	for (unsigned i = 0; i < m->nbeside; i++) {
		a->beside[i].base = m->beside[i].span.base;
		a->beside[i].bytes = m->beside[i].span.bytes;
		remappable_open(&a->tables, &a->beside[i], false);
	}
	return a->tables.exhausted ? "the memory map needs more page tables than fit" : NULL;
}

void *work_memory_take(size_t bytes)
{
	struct span *work = &address_space.layout.work;

	bytes = (bytes + 63) & ~(size_t)63;
	if (bytes > work->bytes)
		return NULL;
	work->bytes -= bytes;
	return (void *)(work->base + work->bytes);
}

void address_space_flush(void)
{
	write_cr3((uint64_t)address_space.tables.root);
}

/* In half of what the first tables have left; that is 2 MiB and more (TABLES_EXTRA). */
void address_space_build_runtime(const struct machine *m)
{
	struct address_space *a = &address_space;
	struct page_tables *first = &a->tables;
	size_t bytes = (first->pool_bytes - first->pool_used) / 2 & -PAGE_4K;

	first->pool_bytes -= bytes;
	page_tables_open(&a->runtime, first->pool + first->pool_bytes, bytes, first->has);
	layout_map(m, &a->layout, a->serial, &a->runtime);
	layout_runtime(&m->map, &a->runtime);
}

bool address_space_add_runtime(const struct machine *m, uint64_t address, bool execute)
{
	struct page_tables *t = &address_space.runtime;
	unsigned access = layout_runtime_touched(&m->map, address, execute, cpu_physical_end());

	if (access == ACCESS_NONE)
		return false;
	page_map(t, address & -PAGE_4K, PAGE_4K, access, PAGE_4K);
	write_cr3((uint64_t)t->root);
	return !t->exhausted;
}
