/* SPDX-License-Identifier: MIT */
/*
 * A chain is one single cycle, whatever its length and seed, and the prediction of its walk holds.
 */
#include "engine/chain.c"
#include "engine/room.h"
#include "tests/unit/test.h"

#define ARENA (4 * MIB)

static struct arena arena;

BEFORE_ALL(make_arena)
{
	arena = (struct arena){
		.base = aligned_alloc(4096, ARENA), .bytes = ARENA, .page_bytes = 4096
	};
	assert_non_null(arena.base);
}

AFTER_ALL(free_arena)
{
	free(arena.base);
}

static uint64_t step(const struct chain *c, enum chain_link kind, uint64_t at)
{
	unsigned char *node =
		kind == CHAIN_POINTER ? (unsigned char *)(uintptr_t)at : c->base + at * c->stride;

	return *(uint64_t *)node;
}

/* Walks the links themselves: every node once, then the first again, each where predicted. */
static void check_single_cycle(const struct chain *c, enum chain_link kind, const char *what)
{
	unsigned char *seen = calloc(c->nodes, 1);
	uint64_t at = chain_at(c, kind, 0);

	for (uint64_t k = 0; k < c->nodes; k++) {
		uint64_t node = kind == CHAIN_POINTER ? (at - (uintptr_t)c->base) / c->stride : at;

		if (node >= c->nodes)
			fail_msg("%s, %lu nodes: step %lu leaves the chain", what, c->nodes, k);
		if (seen[node]++)
			fail_msg("%s, %lu nodes: the cycle closes after %lu steps", what, c->nodes,
				k);
		at = step(c, kind, at);
		if (at != chain_at(c, kind, k + 1))
			fail_msg("%s, %lu nodes: place %lu is not where predicted", what, c->nodes,
				k + 1);
	}
	free(seen);
}

static void build(struct chain *c, uint64_t nodes, uint64_t stride)
{
	memset(arena.base, 0xa5, arena.bytes);
	assert_int_equal(0, chain_layout(c, &arena, nodes, stride));
}

TEST(random_chains)
{
	static const uint64_t lengths[] = { 1, 2, 3, 4, 5, 7, 16, 17, 100, 1000, 4096, 50021 };
	struct chain c;
	struct random r;

	for (uint64_t seed = 0; seed < 8; seed++) {
		random_seed(&r, seed);
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
			build(&c, lengths[i], i % 2 ? 64 : 8);
			chain_order_random(&c, &r);
			assert_int_equal(0,
				chain_link(&c, i % 3 ? CHAIN_POINTER : CHAIN_INDEX, NULL));
			check_single_cycle(&c, i % 3 ? CHAIN_POINTER : CHAIN_INDEX, "random");
		}
	}
}

TEST(stepped_chains)
{
	struct chain c;

	for (uint64_t nodes = 1; nodes < 200; nodes++) {
		for (uint64_t by = 1; by < 20; by += 4) {
			build(&c, nodes, 64);
			chain_order_step(&c, by);
			assert_int_equal(0, chain_link(&c, CHAIN_POINTER, NULL));
			check_single_cycle(&c, CHAIN_POINTER, "stepped");
		}
	}
}

/* All six cycles of four nodes appear about equally often: chi-squared, 5 degrees, 0.1 %. */
TEST(uniform)
{
	unsigned seen[64] = { 0 };
	const unsigned times = 6000;
	struct random r;
	struct chain c;

	random_seed(&r, 3);
	for (unsigned i = 0; i < times; i++) {
		uint32_t next[4];

		assert_int_equal(0, chain_layout(&c, &arena, 4, 64));
		chain_order_random(&c, &r);
		for (unsigned k = 0; k < 4; k++)
			next[node_at(&c, k)] = (uint32_t)node_at(&c, (k + 1) % 4);
		seen[next[0] * 16 + next[1] * 4 + next[2]]++;
	}
	double chi = 0;
	unsigned kinds = 0;

	for (unsigned i = 0; i < 64; i++) {
		double off = (double)seen[i] - times / 6.0;

		kinds += seen[i] != 0;
		chi += seen[i] ? off * off / (times / 6.0) : 0;
	}
	assert_int_equal(6, kinds);
	if (chi > 20.5)
		fail_msg("chi-squared of the six cycles of four nodes is %.1f, above 20.5", chi);
}

static uint64_t step_after(const struct chain *c, uint32_t k)
{
	return (node_at(c, k + 1) - node_at(c, k)) % c->nodes;
}

/*
 * Blocks are visited one after the other, each at random, and the whole is one cycle: no distance
 * from a node to the next one is so frequent that a prefetcher of strides could learn it.
 */
TEST(blocks)
{
	struct random r;
	struct chain c;

	assert_int_equal(0, chain_layout(&c, &arena, 100, 64));
	random_seed(&r, 9);
	chain_order_blocks(&c, 32, &r);
	assert_int_equal(0, chain_link(&c, CHAIN_POINTER, NULL));
	check_single_cycle(&c, CHAIN_POINTER, "blocks");
	unsigned again = 0;

	for (unsigned k = 0; k < 100; k++)
		assert_int_equal(k / 32, node_at(&c, k) / 32);
	for (unsigned k = 0; k < 98; k++)
		again += step_after(&c, k) == step_after(&c, k + 1);
	if (again > 6)
		fail_msg("of 98 steps %u repeat the one before, chance makes 2", again);
}

/*
 * Each pass visits one node of every group of neighbours, another one each time, and all passes
 * have the same order of groups: all other groups lie between two nodes of one group.
 */
TEST(apart)
{
	struct random r;
	struct chain c;

	random_seed(&r, 5);
	for (uint32_t group = 2; group <= 8; group *= 2)
		for (uint32_t groups = 1; groups < 200; groups++) {
			unsigned odd = 0;

			assert_int_equal(0, chain_layout(&c, &arena, groups * group, 64));
			chain_order_apart(&c, group, &r);
			assert_int_equal(0, chain_link(&c, CHAIN_POINTER, NULL));
			check_single_cycle(&c, CHAIN_POINTER, "apart");
			for (uint32_t k = 0; k < groups; k++)
				odd += node_at(&c, k) & 1;
			for (uint32_t k = groups; k < groups * group; k++)
				assert_int_equal(node_at(&c, k) / group,
					node_at(&c, k - groups) / group);
			/* Two that may be of one line: half of all nodes apart. */
			for (uint32_t k = 0; k < groups * group / 2; k++)
				assert_int_equal(node_at(&c, k) ^ 1,
					node_at(&c, k + groups * group / 2));
			if (groups > 100 && (odd < groups / 4 || odd > groups * 3 / 4))
				fail_msg("%u of %lu first nodes are odd", odd, groups);
		}
}

/*
 * One line of each stride is drawn; each is drawn equally often among nodes that share sets of a
 * cache.
 */
TEST(drawn_lines)
{
	struct random r;
	struct chain c;

	random_seed(&r, 6);
	for (unsigned lines = 1; lines <= 8; lines *= 2) {
		assert_int_equal(0, chain_layout(&c, &arena, 4096, lines * 64));
		chain_draw_lines(&c, &r);
		chain_order_random(&c, &r);
		for (unsigned sets = 64; sets <= 2048; sets *= 2) {
			unsigned in[2048] = { 0 };

			for (uint32_t k = 0; k < 4096; k++) {
				uint64_t at = chain_at(&c, CHAIN_POINTER, k) - (uintptr_t)c.base;

				assert_int_equal(node_at(&c, k), at / (lines * 64));
				in[at / 64 % sets]++;
			}
			for (unsigned i = 0; i < sets; i++)
				if (in[i] != 4096 / sets)
					fail_msg("%u lines a node: set %u of %u has %u nodes, not "
						 "%u",
						lines, i, sets, in[i], 4096 / sets);
		}
	}
}

/* All of an arena may be nodes, and nothing beyond them is written. */
TEST(as_much_as_fits)
{
	struct arena exact = arena;
	struct random r;
	struct chain c;

	random_seed(&r, 4);
	assert_int_equal(-1, chain_layout(&c, &arena, 0, 64));
	assert_int_equal(-1, chain_layout(&c, &arena, ARENA / 64 + 1, 64));
	build(&c, ARENA / 64, 64);
	exact.bytes = 1000 * 64;
	assert_int_equal(-1, chain_layout(&c, &exact, 1001, 64));
	assert_int_equal(0, chain_layout(&c, &exact, 1000, 64));
	chain_order_random(&c, &r);
	assert_int_equal(0, chain_link(&c, CHAIN_POINTER, NULL));
	for (uint64_t at = exact.bytes; at < ARENA; at++)
		assert_int_equal(0xa5, arena.base[at]);
	exact.bytes = 32 * GIB;
	assert_int_equal(0, chain_layout(&c, &exact, UINT32_MAX, 1));
	assert_int_equal(-1, chain_layout(&c, &exact, UINT32_MAX + 1ULL, 1));
}

/* Every node is at one position, and that is known without a walk, in each of the orders. */
static void check_positions(const struct chain *c, const char *what)
{
	for (uint64_t k = 0; k < c->nodes; k += 1 + (c->nodes > 100000 ? c->nodes / 5000 : 0))
		if (position_of(c, (uint32_t)node_at(c, (uint32_t)k)) != k)
			fail_msg("%s: node %lu of position %lu of %lu is said to be at %lu", what,
				node_at(c, (uint32_t)k), k, c->nodes,
				position_of(c, (uint32_t)node_at(c, (uint32_t)k)));
}

TEST(every_order_has_an_inverse)
{
	static const uint64_t counts[] = { 1, 2, 8, 24, 1000, 4096, 50024, 1 << 20, 16777216,
		4294967288 };
	struct arena large = { .bytes = 64 * GIB };
	struct random r;
	struct chain c;

	random_seed(&r, 12);
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		uint64_t n = counts[i], group = n % 8 ? 1 : 8;

		assert_int_equal(0, chain_layout(&c, &large, n, 8));
		chain_order_random(&c, &r);
		check_positions(&c, "random");
		chain_order_step(&c, 17);
		check_positions(&c, "step");
		chain_order_blocks(&c, 512, &r);
		check_positions(&c, "blocks");
		chain_order_columns(&c, group, &r);
		check_positions(&c, "columns");
		chain_order_laps(&c, n / group, &r);
		check_positions(&c, "laps");
		chain_order_apart(&c, group, &r);
		check_positions(&c, "apart");
	}
}

/* Laps have one order; columns are visited one after the other, each in its own order. */
TEST(laps_and_columns)
{
	struct random r;
	struct chain c;
	unsigned same = 0;

	random_seed(&r, 13);
	build(&c, 40 * 64, 64);
	chain_order_laps(&c, 64, &r);
	assert_int_equal(0, chain_link(&c, CHAIN_POINTER, NULL));
	check_single_cycle(&c, CHAIN_POINTER, "laps");
	for (uint32_t k = 64; k < c.nodes; k++)
		assert_int_equal(node_at(&c, k - 64) + 64, node_at(&c, k));
	chain_order_columns(&c, 40, &r);
	assert_int_equal(0, chain_link(&c, CHAIN_POINTER, NULL));
	check_single_cycle(&c, CHAIN_POINTER, "columns");
	for (uint32_t k = 0; k < c.nodes; k++) {
		assert_int_equal(k / 64, node_at(&c, k) % 40);
		same += k >= 64 && node_at(&c, k) == node_at(&c, k - 64) + 1;
	}
	assert_in_range(same, 0, 80); /* 39 by chance */
}

static unsigned asked, stop_at;

static bool stop_some_time(struct room *room)
{
	return ++asked >= stop_at;
}

/* The room is asked every 64 Ki nodes, and where it wants the end, no more is written. */
TEST(linking_can_be_stopped)
{
	struct room room = { .stop = stop_some_time };
	struct random r;
	struct chain c;

	random_seed(&r, 14);
	build(&c, 3 * LINKED, 8);
	chain_order_random(&c, &r);
	stop_at = 3;
	assert_int_equal(0, chain_link(&c, CHAIN_INDEX, &room));
	assert_int_equal(2, asked);
	memset(arena.base, 0xa5, arena.bytes);
	asked = 0;
	stop_at = 2;
	assert_int_equal(-1, chain_link(&c, CHAIN_INDEX, &room));
	for (uint64_t k = 0; k < c.nodes; k++)
		assert_int_equal(k < 2 * LINKED, ((uint64_t *)(void *)arena.base)[k] < c.nodes);
}

static unsigned drawn_line_of(struct chain *c, uint32_t node)
{
	return (unsigned)(address_of(c, node) - (uintptr_t)c->base) / 64 % 8;
}

/*
 * The first nodes have each number once, in another order for each seed; then the upper bits
 * differ.
 */
TEST(lines_are_drawn)
{
	struct chain c, other;
	struct random r;
	bool seen[CHAIN_DRAWN] = { 0 };

	random_seed(&r, 8);
	build(&c, 16, 32);
	chain_draw_lines(&c, &r);
	chain_order_step(&c, 1);
	for (uint64_t k = 0; k < 16; k++) /* nothing is drawn of less than a line */
		assert_int_equal((uintptr_t)c.base + k * 32, chain_at(&c, CHAIN_POINTER, k));
	build(&c, 16, 512);
	other = c;
	chain_draw_lines(&c, &r);
	chain_draw_lines(&other, &r);
	assert_memory_not_equal(c.line, other.line, sizeof c.line);
	for (unsigned i = 0; i < CHAIN_DRAWN; i++)
		seen[c.line[i]] = true;
	for (uint32_t i = 0; i < CHAIN_DRAWN; i++) {
		assert_true(seen[i]);
		assert_int_equal(c.line[i] % 8, drawn_line_of(&c, i));
		for (uint32_t bit = 0; bit < 7; bit++)
			assert_int_equal(c.line[i] % 8 ^ 1U << bit % 3,
				drawn_line_of(&c, i + (CHAIN_DRAWN << bit)));
	}
}

/* One node of each group of pages, where engine/chain.h says. */
TEST(nodes_of_pages)
{
	struct chain c;

	build(&c, 8, 64);
	chain_order_step(&c, 1);
	c.pages = (struct chain_pages){ .page_bytes = 4096, .group = CHAIN_GROUP };
	for (uint64_t k = 0; k < 8; k++)
		assert_int_equal((uintptr_t)c.base + chain_page_offset(&c.pages, k),
			chain_at(&c, CHAIN_POINTER, k));
	assert_int_equal(0, chain_link(&c, CHAIN_POINTER, NULL));
	for (uint64_t k = 0; k < 8; k++)
		assert_int_equal(chain_at(&c, CHAIN_POINTER, k + 1),
			step(&c, CHAIN_POINTER, chain_at(&c, CHAIN_POINTER, k)));
}

/* Nodes of one a page use all sets of a TLB and of a cache alike, for each way to index them. */

#define NODES         8192
#define REGION_GROUPS 32 /* of 16 pages of 4 KiB, in a region */

typedef unsigned index_fn(uint64_t number, unsigned bits);

static unsigned lowest(uint64_t number, unsigned bits)
{
	return (unsigned)(number & ((1ULL << bits) - 1));
}

static unsigned with_next(uint64_t number, unsigned bits)
{
	return lowest(number ^ number >> bits, bits);
}

static unsigned folded(uint64_t number, unsigned bits)
{
	unsigned sum = 0;

	for (; number; number >>= bits)
		sum ^= lowest(number, bits);
	return sum;
}

static uint64_t place_of(uint64_t node, unsigned group, uint64_t page)
{
	const struct chain_pages p = { .page_bytes = page, .group = group };

	return chain_page_offset(&p, node);
}

/* After every 2^bits nodes each set has as many as the others. */
static void check_sets(const char *what, index_fn *index, unsigned bits, unsigned shift,
	unsigned group, uint64_t page)
{
	static unsigned in[NODES];

	for (unsigned i = 0; i < 1U << bits; i++)
		in[i] = 0;
	for (uint64_t k = 0; k < NODES; k++) {
		in[index(place_of(k, group, page) >> shift, bits)]++;
		for (unsigned i = 0; (k + 1) % (1U << bits) == 0 && i < 1U << bits; i++)
			if (in[i] != (k + 1) >> bits)
				fail_msg("%s: of %lu nodes, set %u of %u has %u, not %lu", what,
					k + 1, i, 1U << bits, in[i], (k + 1) >> bits);
	}
}

TEST(all_sets_of_a_tlb)
{
	for (unsigned bits = 1; bits <= 10; bits++) {
		check_sets("lowest bits", lowest, bits, 12, CHAIN_GROUP, PAGE_4K);
		check_sets("two groups of bits", with_next, bits, 12, CHAIN_GROUP, PAGE_4K);
		check_sets("2 MiB", lowest, bits, 21, CHAIN_GROUP, PAGE_2M);
		check_sets("2 MiB, side by side", with_next, bits, 21, 1, PAGE_2M);
		if (bits != 2) /* no linear function does that beside all others */
			check_sets("all bits", folded, bits, 12, CHAIN_GROUP, PAGE_4K);
	}
	for (unsigned bits = 4; bits <= 10; bits++) {
		check_sets("groups of 2 pages", lowest, bits, 13, CHAIN_GROUP, PAGE_4K);
		check_sets("groups of 4 pages", lowest, bits, 14, CHAIN_GROUP, PAGE_4K);
	}
}

TEST(all_sets_of_a_cache)
{
	for (unsigned bits = 6; bits <= 13; bits++) {
		check_sets("cache", lowest, bits, 6, CHAIN_GROUP, PAGE_4K);
		check_sets("cache, side by side", lowest, bits, 6, 1, PAGE_4K);
	}
}

/* Large pages, and the small ones that a hypervisor may back them with. */
TEST(all_sets_with_large_pages)
{
	static const unsigned groups[] = { 1, CHAIN_GROUP };

	for (unsigned i = 0; i < 2; i++) {
		for (unsigned bits = 6; bits <= 13; bits++)
			check_sets("cache", lowest, bits, 6, groups[i], PAGE_2M);
		for (unsigned bits = 4; bits <= 9; bits++)
			check_sets("small pages", lowest, bits, 12, groups[i], PAGE_2M);
		check_sets("small pages, two groups of bits", with_next, 7, 12, groups[i], PAGE_2M);
		check_sets("small pages, all bits", folded, 7, 12, groups[i], PAGE_2M);
	}
}

/* No two nodes in one group of 4, 8 or 16 pages; each in its own pages. */
TEST(one_of_a_group)
{
	static const uint64_t sizes[] = PAGE_SIZES;

	for (unsigned i = 0; i < 3; i++)
		for (uint64_t k = 0; k < 2 * NODES; k++) {
			assert_int_equal(k,
				place_of(k, CHAIN_GROUP, sizes[i]) / sizes[i] / CHAIN_GROUP);
			assert_int_equal(k, place_of(k, 1, sizes[i]) / sizes[i]);
		}
}

/* Each in a region of its own, until all were used; never two nodes in one page. */
TEST(regions_in_turn)
{
	const struct chain_pages p = { .page_bytes = PAGE_4K,
		.group = CHAIN_GROUP,
		.regions = 512,
		.region_bytes = PAGE_2M,
		.lap_bytes = 2 * CHAIN_GROUP * PAGE_4K };
	static bool used[512 * 512];

	for (uint64_t k = 0; k < NODES; k++) {
		uint64_t at = chain_page_offset(&p, k);

		assert_int_equal(k % 512, at / PAGE_2M);
		assert_false(used[at / PAGE_4K]);
		used[at / PAGE_4K] = true;
	}
}

/*
 * A walk through 512 regions, one after the other, uses a line for the node of each page and one
 * for its entry in the table: the fullest set has at most twice its share of them, and three.
 */
static void check_walks(const char *what, index_fn *index, unsigned bits, uint64_t pages)
{
	const struct chain_pages p = { .page_bytes = PAGE_4K,
		.group = CHAIN_GROUP,
		.regions = 512,
		.region_bytes = PAGE_2M,
		.lap_bytes = PAGE_2M / (pages / 512) };
	unsigned sets = 1U << bits, most = 2 * (unsigned)(2 * pages / sets) + 3;
	static unsigned in[NODES];

	for (unsigned i = 0; i < sets; i++)
		in[i] = 0;
	for (uint64_t k = 0; k < pages; k++) {
		uint64_t at = chain_page_offset(&p, k);

		in[index(at / 64, bits)]++;
		in[index(at / PAGE_4K * 8 / 64, bits)]++;
	}
	for (unsigned i = 0; i < sets; i++)
		if (in[i] > most)
			fail_msg("%s, %lu pages: set %u of %u has %u lines, more than %u", what,
				pages, i, sets, in[i], most);
}

TEST(sets_of_walks)
{
	for (uint64_t pages = 4096; pages <= NODES; pages *= 2)
		for (unsigned bits = 10; bits <= 13; bits++) {
			check_walks("lowest bits", lowest, bits, pages);
			check_walks("two groups of bits", with_next, bits, pages);
			check_walks("all bits", folded, bits, pages);
		}
}

/* Each set has the same number of these lines, or with fewer lines one or none. */
static void check_even(const char *what, const unsigned char *in, uint64_t lines, unsigned bits)
{
	uint64_t share = lines >> bits ? lines >> bits : 1;

	for (unsigned i = 0; i < 1U << bits; i++)
		if (in[i] > share)
			fail_msg("%s, %lu lines: set %u of %u has %u, more than %lu", what, lines,
				i, 1U << bits, in[i], share);
}

/* A walk from region to region: its nodes alone, and the entries of their pages alone. */
static void check_regions(uint64_t page, uint64_t pages, uint64_t regions, unsigned bits)
{
	uint64_t region = page == PAGE_4K ? PAGE_2M : PAGE_1G;
	const struct chain_pages p = { .page_bytes = page,
		.group = page == PAGE_4K ? CHAIN_GROUP : 1,
		.regions = regions,
		.region_bytes = region,
		.lap_bytes = region / (pages / regions) };
	unsigned char nodes[NODES] = { 0 }, entries[NODES] = { 0 };

	for (uint64_t k = 0; k < pages; k++) {
		uint64_t at = chain_page_offset(&p, k);

		nodes[lowest(at / 64, bits)]++;
		entries[lowest(at / page * 8 / 64, bits)]++;
	}
	check_even(page == PAGE_4K ? "nodes" : "nodes, 2 MiB", nodes, pages, bits);
	if (bits < 12)
		check_even(page == PAGE_4K ? "entries" : "entries, 2 MiB", entries, pages, bits);
}

TEST(all_sets_region_by_region)
{
	static const uint64_t sizes[] = { PAGE_4K, PAGE_2M };

	for (unsigned i = 0; i < 2; i++)
		for (uint64_t pages = 4096; pages <= NODES; pages *= 2)
			for (uint64_t regions = 128; regions <= 512; regions *= 2)
				for (unsigned bits = 7; bits <= 13; bits++)
					if (i || pages <= regions * REGION_GROUPS)
						check_regions(sizes[i], pages, regions, bits);
}

/* Regions 0, 32, 64 ... to 480 begin at 16 places of a lap, each at another one. */
TEST(each_place_once)
{
	const struct chain_pages p = {
		.page_bytes = PAGE_4K,
		.group = CHAIN_GROUP,
		.regions = 512,
		.region_bytes = PAGE_1G,
		.lap_bytes = 16 * CHAIN_GROUP * PAGE_4K,
	};
	unsigned seen = 0;

	for (uint64_t region = 0; region < 512; region += 32) {
		uint64_t begin = chain_page_offset(&p, region) % PAGE_1G / (CHAIN_GROUP * PAGE_4K);

		if (begin > 15 || seen >> begin & 1)
			fail_msg("region %lu begins at place %lu: expected another of 0..15",
				region, begin);
		seen |= 1U << begin;
	}
}

/* The first node is the first line, each is a line, and the places begin again after 2^14 nodes. */
TEST(places_are_lines)
{
	static const unsigned groups[] = { 1, CHAIN_GROUP };

	for (unsigned i = 0; i < 2; i++) {
		uint64_t slot = groups[i] * PAGE_4K;

		for (uint64_t k = 0; k < NODES; k++)
			assert_int_equal(0, place_of(k, groups[i], PAGE_4K) % 64);
		for (uint64_t k = 0; k < NODES; k++)
			assert_int_equal(place_of(k, groups[i], PAGE_4K) + (1 << 14) * slot,
				place_of(k + (1 << 14), groups[i], PAGE_4K));
		assert_int_equal(0, place_of(0, groups[i], PAGE_4K));
		assert_int_equal(0, place_of(0, groups[i], PAGE_2M));
	}
}
