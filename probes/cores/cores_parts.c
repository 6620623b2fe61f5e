/* SPDX-License-Identifier: MIT */
#include "probes/cores/cores_parts.h"

#include "engine/levels.h"
#include "probes/cores/cores.h"

/* Rather more than needed, unless there is no time for it. */
#define DOMAIN_LEAST(b) ((b)->opt->profile == PROFILE_SMOKE ? 32 * MIB : 128 * MIB)
#define GRAIN           PAGE_4K

uint64_t parts_domain_bytes(struct bench *b)
{
	uint64_t needed = PART_TIMES_CACHE * last_cache_bytes(b);
	uint64_t usual = b->levels[LEVEL_MEMORY].bytes;

	if (usual > DOMAIN_LEAST(b))
		usual = DOMAIN_LEAST(b);
	return needed > usual ? needed : usual;
}

/* The share of one of the CPUs order[0..n-1] in what its last cache's CPUs work on together. */
static uint64_t share(struct bench *b, const unsigned *order, unsigned n, unsigned cpu)
{
	unsigned sharers = 0;

	for (unsigned i = 0; i < n; i++)
		sharers += cores_share_cache(&b->room->facts, order[i], cpu);
	return (parts_domain_bytes(b) / sharers + GRAIN - 1) / GRAIN * GRAIN;
}

static unsigned *take_order(struct bench *b)
{
	unsigned *order = row_alloc(b, b->room->facts.cpus * sizeof *order);

	if (order)
		cores_order(&b->room->facts, order);
	return order;
}

uint64_t parts_bytes(struct bench *b, unsigned n)
{
	size_t mark = b->work.used;
	unsigned *order = take_order(b);
	uint64_t sum = 0;

	for (unsigned i = 0; order && i < n; i++)
		sum += share(b, order, n, order[i]);
	b->work.used = mark;
	return sum;
}

/* Lays the parts of one node side by side, in what `at` says is left. */
static void lay_out(const struct facts *f, struct part *parts, unsigned n, uint32_t node,
	unsigned char *at)
{
	for (unsigned i = 0; i < n; i++) {
		if (cores_node(f, parts[i].cpu) != node)
			continue;
		parts[i].base = at;
		at += parts[i].bytes;
	}
}

static int take_node(struct bench *b, struct job *job, struct part *parts, unsigned n,
	uint32_t node, struct arena *apart)
{
	const struct facts *f = &b->room->facts;
	uint64_t bytes = apart ? apart->bytes : 0;
	struct arena memory;

	for (unsigned i = 0; i < n; i++)
		bytes += cores_node(f, parts[i].cpu) == node ? parts[i].bytes : 0;
	if (job_arena_on(b, job, node, bytes, &memory))
		return -1;
	unsigned char *at = memory.base;

	if (apart) {
		at += apart->bytes;
		memory.bytes = apart->bytes;
		*apart = memory;
	}
	lay_out(f, parts, n, node, at);
	return 0;
}

static bool seen_before(const struct facts *f, const struct part *parts, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (cores_node(f, parts[k].cpu) == cores_node(f, parts[i].cpu))
			return true;
	return false;
}

int parts_take(struct bench *b, struct job *job, unsigned n, struct part *parts,
	struct arena *apart)
{
	const struct facts *f = &b->room->facts;
	unsigned *order = take_order(b);

	if (!order)
		return job_skip(job, "no scratch memory");
	for (unsigned i = 0; i < n; i++)
		parts[i] = (struct part){ order[i], NULL, share(b, order, n, order[i]) };
	for (unsigned i = 0; i < n; i++)
		if (!seen_before(f, parts, i) &&
			take_node(b, job, parts, n, cores_node(f, parts[i].cpu), i ? NULL : apart))
			return -1;
	return 0;
}

/* Keeps those of a node, in the order as it is; how many. */
static unsigned keep_node(const struct facts *f, unsigned *order, uint32_t node)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->cpus; i++)
		if (cores_node(f, order[i]) == node)
			order[n++] = order[i];
	return n;
}

uint64_t parts_bytes_of_node(struct bench *b, uint32_t cpu_node, unsigned *cpus)
{
	size_t mark = b->work.used;
	unsigned *order = take_order(b);
	uint64_t sum = 0;

	*cpus = order ? keep_node(&b->room->facts, order, cpu_node) : 0;
	for (unsigned i = 0; i < *cpus; i++)
		sum += share(b, order, *cpus, order[i]);
	b->work.used = mark;
	return sum;
}

int parts_take_of_node(struct bench *b, struct job *job, uint32_t cpu_node, uint32_t memory_node,
	unsigned n, struct part *parts)
{
	unsigned *order = take_order(b);
	struct arena memory;
	uint64_t bytes = 0;

	if (!order)
		return job_skip(job, "no scratch memory");
	keep_node(&b->room->facts, order, cpu_node);
	for (unsigned i = 0; i < n; i++) {
		parts[i] = (struct part){ order[i], NULL, share(b, order, n, order[i]) };
		bytes += parts[i].bytes;
	}
	if (job_arena_on(b, job, memory_node, bytes, &memory))
		return -1;
	lay_out(&b->room->facts, parts, n, cpu_node, memory.base);
	return 0;
}
