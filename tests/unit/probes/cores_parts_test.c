/* SPDX-License-Identifier: MIT */
/* Memory for the CPUs of a row, on machines of several nodes and last caches. */
#include <string.h>

#include "engine/plan.h"
#include "probes/cores/cores_parts.h"
#include "tests/unit/test.h"

#define L3 (32 * MIB)

static unsigned char arena_memory[1], other_memory[1]; /* places only: nothing is written there */
static struct arena arena, other;
static struct room room;
static struct options options = { .profile = PROFILE_DEFAULT };
static struct bench bench;
static unsigned char work[4096];

static int arena_on(struct room *e, uint32_t node, size_t page_bytes, struct arena *out)
{
	(void)e;
	(void)page_bytes;
	*out = other;
	return node == other.node ? 0 : -1;
}

/* Two nodes of two last caches of two CPUs. */
static const struct cpu_location eight[8] = {
	{ .core = 0, .node = 0, .l3 = 0 },
	{ .core = 1, .node = 0, .l3 = 0 },
	{ .core = 2, .node = 0, .l3 = 1 },
	{ .core = 3, .node = 0, .l3 = 1 },
	{ .core = 4, .node = 1, .l3 = 2 },
	{ .core = 5, .node = 1, .l3 = 2 },
	{ .core = 6, .node = 1, .l3 = 3 },
	{ .core = 7, .node = 1, .l3 = 3 },
};

BEFORE_EACH(reset)
{
	arena = (struct arena){ .base = arena_memory,
		.bytes = GIB,
		.page_bytes = PAGE_2M,
		.write_back = true,
		.node = 0 };
	other = (struct arena){ .base = other_memory,
		.bytes = GIB,
		.page_bytes = PAGE_2M,
		.write_back = true,
		.node = 1 };
	room = (struct room){ .facts = { .cpus = 8, .topology = eight }, .arena_on = arena_on };
	bench = (struct bench){ .room = &room, .opt = &options };
	bench.caches.bytes[LEVEL_L1] = 32 * KIB;
	bench.caches.bytes[LEVEL_L2] = MIB;
	bench.caches.bytes[LEVEL_L3] = L3;
	bench.caches.count = 3;
	bench.caches.memory_ns = 80;
	bench.levels[LEVEL_MEMORY].bytes = 8 * L3;
	bench.arena = arena;
	bench.work.base = work;
	bench.work.bytes = sizeof work;
}

static int take(unsigned n, struct part *parts, struct arena *apart, struct job *job)
{
	*job = (struct job){ .arena = arena };
	bench.work.used = 0;
	return parts_take(&bench, job, n, parts, apart);
}

/* The bytes that a last cache's CPUs work on together. */
static uint64_t of_cache(const struct part *parts, unsigned n, uint32_t l3)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += eight[parts[i].cpu].l3 == l3 ? parts[i].bytes : 0;
	return sum;
}

TEST(each_cache_is_too_small)
{
	struct part parts[8];
	struct job job;

	for (unsigned n = 1; n <= 8; n++) {
		assert_int_equal(0, take(n, parts, NULL, &job));
		for (unsigned i = 0; i < n; i++)
			assert_true(of_cache(parts, n, eight[parts[i].cpu].l3) >= 4 * L3);
	}
	assert_int_equal(4 * 4 * L3, parts_bytes(&bench, 8));
	assert_int_equal(4 * L3, parts_bytes(&bench, 1));
	options.profile = PROFILE_SMOKE;
	bench.caches.bytes[LEVEL_L3] = 4 * MIB;
	assert_int_equal(32 * MIB, parts_bytes(&bench, 1));
	options.profile = PROFILE_DEFAULT;
	assert_int_equal(128 * MIB, parts_bytes(&bench, 1));
}

TEST(parts_lie_on_their_nodes_side_by_side)
{
	struct part parts[8];
	struct arena apart = { .bytes = 8 * MIB };
	struct job job;
	unsigned char *at[2] = { arena_memory + 8 * MIB, other_memory };

	assert_int_equal(0, take(8, parts, &apart, &job));
	assert_ptr_equal(arena_memory, apart.base);
	assert_int_equal(8 * MIB, apart.bytes);
	for (unsigned i = 0; i < 8; i++) {
		unsigned node = eight[parts[i].cpu].node;

		assert_ptr_equal(at[node], parts[i].base);
		at[node] += parts[i].bytes;
	}
}

TEST(too_little_memory_is_a_reason)
{
	struct part parts[8];
	struct job job;

	other.bytes = 2 * 4 * L3 - PAGE_2M;
	assert_int_equal(-1, take(8, parts, NULL, &job));
	assert_string_equal("needs 256 MiB of node 1, which has 254", job.skip);
	job = (struct job){ .arena = arena };
	assert_int_equal(-1, parts_take_of_node(&bench, &job, 0, 1, 4, parts));
	assert_string_equal("needs 256 MiB of node 1, which has 254", job.skip);
	other.page_bytes = PAGE_1G;
	assert_int_equal(-1, take(8, parts, NULL, &job));
	assert_non_null(strstr(job.skip, "pages"));
	other.node = 7;
	assert_int_equal(-1, take(8, parts, NULL, &job));
	assert_string_equal("the room has no memory of node 1", job.skip);
	room.arena_on = NULL; /* the eight cannot place memory */
	assert_int_equal(-1, take(8, parts, NULL, &job));
	assert_string_equal("the room has no memory of node 1", job.skip);
	assert_int_equal(0, take(4, parts, NULL, &job));
	arena.bytes = 4 * L3;
	assert_int_equal(-1, take(4, parts, NULL, &job));
	assert_string_equal("needs 257 MiB, the arena has 128", job.skip);
}

/* The arena is too small for its own node's CPUs, and there is more of that node. */
TEST(more_of_the_same_node)
{
	struct part parts[8];
	struct job job;

	arena.bytes = 4 * L3;
	other.node = 0;
	assert_int_equal(0, take(4, parts, NULL, &job));
	assert_ptr_equal(other_memory, parts[0].base);
}

TEST(unknown_places)
{
	static const struct cpu_location nowhere[2] = {
		{ .package = UINT32_MAX, .die = UINT32_MAX, .node = UINT32_MAX, .l3 = UINT32_MAX },
		{ .package = UINT32_MAX, .die = UINT32_MAX, .node = UINT32_MAX, .l3 = UINT32_MAX }
	};
	struct part parts[2];
	struct job job;

	room.facts.cpus = 2;
	room.facts.topology = nowhere;
	assert_int_equal(0, take(2, parts, NULL, &job));
	assert_int_equal(2 * L3, parts[0].bytes); /* one cache is assumed */
	assert_ptr_equal(arena_memory + 2 * L3, parts[1].base);
}

/* The order of all CPUs is kept in scratch memory: there must be so much of it. */
TEST(many_cpus_need_scratch_memory)
{
	enum { MANY = 64 };
	unsigned cpus;
	static const struct cpu_location many[MANY];
	struct part part;
	struct job job;

	room.facts.cpus = MANY;
	room.facts.topology = many;
	bench.work.bytes = MANY * sizeof(unsigned);
	memset(work, 0x5a, sizeof work);
	assert_int_equal(0, take(1, &part, NULL, &job));
	for (size_t i = bench.work.bytes; i < sizeof work; i++)
		if (work[i] != 0x5a)
			fail_msg("byte %zu, beyond the scratch memory, was written", i);
	bench.work.bytes--;
	assert_int_equal(-1, take(1, &part, NULL, &job));
	assert_string_equal("no scratch memory", job.skip);
	job.skip[0] = 0;
	assert_int_equal(-1, parts_take_of_node(&bench, &job, 0, 0, 1, &part));
	assert_string_equal("no scratch memory", job.skip);
	assert_int_equal(0, parts_bytes_of_node(&bench, 0, &cpus));
	assert_int_equal(0, cpus);
}

#define BYTES (4 * MIB) /* of a last cache's CPUs, or for one row of a node */

static struct cpuid no_cpuid(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	(void)e;
	(void)leaf;
	(void)subleaf;
	return (struct cpuid){ 0 };
}

/* Prepares the first planned row of a variant that has this parameter. */
static void prepare(const struct plan *plan, const char *variant, const char *param, double value)
{
	struct job job = { .arena = bench.arena };

	for (unsigned i = 0; i < plan->n; i++) {
		const struct row *row = &plan->rows[i];

		if (strcmp(row->variant, variant) || row_get(row, param, -1) != value)
			continue;
		bench.work.used = 0;
		if (row->prepare(&bench, row, &job))
			fail_msg("%s: %s", variant, job.skip);
		return;
	}
	fail_msg("%s with %s %g is not planned", variant, param, value);
}

static void expect_written(const char *variant, const unsigned char *base, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (base[i] == 0x5a)
			fail_msg("%s: byte %zu of %zu was not written", variant, i, bytes);
}

/*
 * Pages that nobody has written may be no memory yet: a hypervisor can show them all as one page of
 * zeroes, which is in a cache.
 */
TEST(what_is_read_was_written)
{
	static _Alignas(LINE_PAIR) unsigned char scratch[64 * KIB];
	static struct plan plan;
	unsigned char *of[2];

	bench.caches.bytes[LEVEL_L3] = MIB;
	bench.levels[LEVEL_MEMORY].bytes = BYTES;
	bench.opt = &(struct options){ .profile = PROFILE_SMOKE };
	bench.plan = &plan;
	bench.probe = probes;
	bench.node_bytes = LINE_PAIR;
	bench.work.base = scratch;
	bench.work.bytes = sizeof scratch;
	room.cpuid = no_cpuid;
	for (unsigned i = 0; i < 2; i++) {
		struct arena *node = i ? &other : &bench.arena;

		of[i] = test_malloc(2 * BYTES);
		node->base = of[i];
		node->bytes = 2 * BYTES;
		memset(of[i], 0x5a, 2 * BYTES);
	}
	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, "cores"))
			probes[i].hooks->plan(&bench);
	prepare(&plan, "read", "cpus", 8);
	expect_written("read", of[0], 2 * BYTES);
	expect_written("read", of[1], 2 * BYTES);
	memset(of[1], 0x5a, 2 * BYTES);
	prepare(&plan, "node-read", "memory_node", 1);
	expect_written("node-read", of[1], BYTES);
	memset(of[1], 0x5a, 2 * BYTES);
	prepare(&plan, "node-read-all", "memory_node", 1);
	expect_written("node-read-all", of[1], 2 * BYTES);
	test_free(of[0]);
	test_free(of[1]);
}
