/* SPDX-License-Identifier: MIT */
#include "tests/kam/run/simulated_memory.h"

#include <sys/mman.h>

#include "tests/kam/cpu/fatal.h"

#define ARENA_AT  0x201000000000ull
#define PARTS_AT  0x210000000000ull /* of nodes, beside the arena */
#define BESIDE_AT PARTS_AT          /* the same of a machine with one CPU, for `tlb` */

void *simulated_map(uint64_t address, size_t bytes, size_t walked, int protection)
{
	void *p = mmap((void *)(uintptr_t)address, bytes, protection,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);

	if (p != (void *)(uintptr_t)address)
		fatal("cannot map %zu bytes at %#lx", bytes, address);
	madvise(p, walked, MADV_HUGEPAGE); /* faster: random accesses miss fewer TLBs of the host */
	return p;
}

void simulated_arena(struct cores *s, const struct cpu *c, size_t page_bytes, struct arena *out)
{
	*out = (struct arena){ .base = (unsigned char *)(uintptr_t)ARENA_AT,
		.bytes = c->memory_bytes / page_bytes * page_bytes,
		.page_bytes = page_bytes,
		.write_back = true,
		.reach = c->memory_reach,
		.node = c->nodes > 1 ? (uint32_t)c->arena_node : NODE_UNKNOWN };
	cores_map_pages(s, ARENA_AT, c->memory_reach, page_bytes);
}

static uint64_t part_at(const struct cpu *c, unsigned node)
{
	return PARTS_AT + node * (c->part_bytes + PAGE_1G) / PAGE_1G * PAGE_1G;
}

size_t simulated_beside(const struct cpu *c)
{
	return c->cpus == 1 ? BESIDE_BYTES : 0;
}

int simulated_arena_on(const struct cpu *c, uint32_t node, struct arena *out)
{
	if (node == NODE_UNKNOWN && simulated_beside(c)) {
		*out = (struct arena){ .base = (unsigned char *)(uintptr_t)BESIDE_AT,
			.bytes = BESIDE_BYTES,
			.page_bytes = PAGE_2M,
			.write_back = true,
			.node = NODE_UNKNOWN };
		return 0;
	}
	if (c->cpus == 1 || node >= c->nodes)
		return -1;
	*out = (struct arena){ .base = (unsigned char *)(uintptr_t)part_at(c, node),
		.bytes = c->part_bytes / PAGE_2M * PAGE_2M,
		.page_bytes = PAGE_2M,
		.write_back = true,
		.node = node };
	return 0;
}

void simulated_share(struct cores *s, uint64_t address, size_t bytes, size_t walked,
	uint32_t permissions)
{
	void *p = simulated_map(address, bytes, walked, PROT_READ | PROT_WRITE);

	cores_map(s, p, bytes, permissions);
}

/* Memory of each node beside the arena, where there are several cores; else more of the one. */
static void share_parts(struct cores *s, const struct cpu *c)
{
	if (simulated_beside(c)) {
		simulated_share(s, BESIDE_AT, BESIDE_BYTES, 0, UC_PROT_READ | UC_PROT_WRITE);
		cores_map_parts(s, BESIDE_AT, BESIDE_BYTES);
		return;
	}
	chip_place(&s->chip, ARENA_AT, c->memory_reach, (unsigned)c->arena_node);
	for (unsigned node = 0; node < c->nodes; node++) {
		simulated_share(s, part_at(c, node), c->part_bytes, c->part_bytes,
			UC_PROT_READ | UC_PROT_WRITE);
		chip_place(&s->chip, part_at(c, node), c->part_bytes, node);
	}
	cores_map_parts(s, PARTS_AT, part_at(c, (unsigned)c->nodes) - PARTS_AT);
}

void simulated_memory_open(struct cores *s, const struct cpu *c)
{
	simulated_share(s, ARENA_AT, c->memory_reach, c->memory_bytes,
		UC_PROT_READ | UC_PROT_WRITE);
	share_parts(s, c);
}
