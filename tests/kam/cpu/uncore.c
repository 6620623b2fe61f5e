/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/cpu/chip.h"
#include "tests/kam/cpu/uncore.h"

unsigned cpu_private_levels(const struct cpu *cpu)
{
	return cpu_levels(cpu) > 2 ? cpu_levels(cpu) - 1 : cpu_levels(cpu);
}

void level_init(struct cache *c, const struct cpu *cpu, unsigned level)
{
	const struct cpu_cache *l = &cpu->level[level];

	cache_init(c, l->bytes / cpu->line, l->ways, (enum policy)l->policy,
		cpu->seed * 77 + level);
	cache_hash(c, (enum hash)l->hash, l->slices);
}

void uncore_init(struct uncore *u, const struct cpu *cpu, const uint64_t *now)
{
	unsigned last = cpu_levels(cpu) - 1;

	memset(u, 0, sizeof(*u));
	u->cpu = cpu;
	if (last >= cpu_private_levels(cpu))
		level_init(&u->last, cpu, last);
	reservations_init(&u->channel, 1, now);
	dram_init(&u->dram, cpu);
}

void uncore_free(struct uncore *u)
{
	cache_free(&u->last);
	reservations_free(&u->channel);
}

/* The node of the memory of a line. */
static unsigned node_of(const struct uncore *u, uint64_t line)
{
	return u->chip ? chip_node_of(u->chip, line) : u->node;
}

/* The uncore that has a node's channel and memory. */
static struct uncore *home(struct uncore *u, unsigned node)
{
	return u->chip ? &u->chip->domain[node * u->cpu->l3_domains / u->cpu->nodes] : u;
}

uint64_t uncore_latency(struct uncore *u, uint64_t line)
{
	unsigned node = node_of(u, line);

	return dram_latency(&home(u, node)->dram, line * u->cpu->line) +
		(node == u->node ? 0 : u->cpu->remote_latency);
}

uint64_t uncore_channel(struct uncore *u, uint64_t line, uint64_t t)
{
	const struct cpu *c = u->cpu;
	unsigned node = node_of(u, line);

	t = reserve(&home(u, node)->channel, t, c->memory_gap);
	if (node != u->node && c->link_gap)
		t = reserve(&u->chip->link[u->node][node], t, c->link_gap);
	return t;
}
