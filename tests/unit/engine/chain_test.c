/* SPDX-License-Identifier: MIT */
/*
 * A chain is one single cycle, whatever its length and seed, and the prediction of its walk holds.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/chain.h"
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
			chain_link(&c, i % 3 ? CHAIN_POINTER : CHAIN_INDEX);
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
			chain_link(&c, CHAIN_POINTER);
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
			next[c.order[k]] = c.order[(k + 1) % 4];
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

static uint64_t step_after(const struct chain *c, uint64_t k)
{
	return (c->order[k + 1] - c->order[k]) % c->nodes;
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
	chain_link(&c, CHAIN_POINTER);
	check_single_cycle(&c, CHAIN_POINTER, "blocks");
	unsigned again = 0;

	for (unsigned k = 0; k < 100; k++)
		assert_int_equal(k / 32, c.order[k] / 32);
	for (unsigned k = 0; k < 98; k++)
		again += step_after(&c, k) == step_after(&c, k + 1);
	if (again > 6)
		fail_msg("of 98 steps %u repeat the one before, chance makes 2", again);
}

/*
 * Of a group of neighbours one is visited in each pass, another one each time, in passes that have
 * the same order of groups: between two of them lie all other groups.
 */
TEST(apart)
{
	struct random r;
	struct chain c;

	random_seed(&r, 5);
	for (uint64_t group = 2; group <= 8; group *= 2)
		for (uint64_t groups = 1; groups < 200; groups++) {
			unsigned odd = 0;

			assert_int_equal(0, chain_layout(&c, &arena, groups * group, 64));
			chain_order_apart(&c, group, &r);
			chain_link(&c, CHAIN_POINTER);
			check_single_cycle(&c, CHAIN_POINTER, "apart");
			for (uint64_t k = 0; k < groups; k++)
				odd += c.order[k] & 1;
			for (uint64_t k = groups; k < groups * group; k++)
				assert_int_equal(c.order[k] / group, c.order[k - groups] / group);
			if (groups > 100 && (odd < groups / 4 || odd > groups * 3 / 4))
				fail_msg("%u of %lu first nodes are odd", odd, groups);
		}
}

/* Of each stride one line, every one equally often among nodes that share sets of a cache. */
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

			for (uint64_t k = 0; k < 4096; k++) {
				uint64_t at = chain_at(&c, CHAIN_POINTER, k) - (uintptr_t)c.base;

				assert_int_equal(c.order[k], at / (lines * 64));
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

TEST(refuses_too_much)
{
	struct chain c;

	assert_int_equal(-1, chain_layout(&c, &arena, 0, 64));
	assert_int_equal(-1, chain_layout(&c, &arena, ARENA / 64, 64));
	/* Nodes and index together: one more does not fit, as many as this do. */
	assert_int_equal(0, chain_layout(&c, &arena, (ARENA - 4096) / (64 + 4), 64));
	assert_true((unsigned char *)(c.order + c.nodes) <= arena.base + arena.bytes);
	assert_true(c.base + c.nodes * c.stride <= (unsigned char *)c.order);
}

/* The index has whole pages of 4 KiB, and both together may fill the arena. */
TEST(as_much_as_fits)
{
	static const uint64_t pages[][2] = { { 1, 1 }, { 1023, 1 }, { 1024, 1 }, { 1025, 2 },
		{ 2048, 2 } };
	struct arena exact = arena;
	struct chain c;

	for (unsigned i = 0; i < sizeof pages / sizeof *pages; i++)
		assert_int_equal(pages[i][1] * 4096, chain_index_bytes(pages[i][0]));
	exact.bytes = 1000 * 64 + 4096;
	assert_int_equal(0, chain_layout(&c, &exact, 1000, 64));
	exact.bytes--;
	assert_int_equal(-1, chain_layout(&c, &exact, 1000, 64));
	exact.bytes = 32 * GIB;
	assert_int_equal(0, chain_layout(&c, &exact, UINT32_MAX, 1));
	assert_int_equal(-1, chain_layout(&c, &exact, UINT32_MAX + 1ULL, 1));
}

/* An index that ends where the arena does: what is written behind it is noticed. */
TEST(orders_end_with_their_index)
{
	struct random r, same;
	struct chain c;

	random_seed(&r, 4);
	build(&c, 1024, 64);
	assert_ptr_equal(arena.base + arena.bytes, c.order + c.nodes);
	chain_order_step(&c, 7);
	for (unsigned k = 0; k < 1024; k++)
		assert_int_equal(7 * k % 1024, c.order[k]);
	chain_order_blocks(&c, 100, &r);
	chain_link(&c, CHAIN_INDEX);
	check_single_cycle(&c, CHAIN_INDEX, "blocks");
	same = r;
	c.nodes = 1;
	chain_order_random(&c, &r);
	assert_memory_equal(&same, &r, sizeof r); /* one node is in order: nothing is drawn */
}

static unsigned drawn_line_of(struct chain *c, uint32_t node)
{
	c->order[0] = node;
	return (unsigned)(chain_at(c, CHAIN_POINTER, 0) - (uintptr_t)c->base) / 64 % 8;
}

/* Of the first nodes each number once, in another order for each seed; then by the upper bits. */
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

/* One node of each group of pages, where engine/chain_pages.h says. */
TEST(nodes_of_pages)
{
	struct chain c;

	build(&c, 8, 64);
	chain_order_step(&c, 1);
	c.pages = (struct chain_pages){ .page_bytes = 4096, .group = CHAIN_GROUP };
	for (uint64_t k = 0; k < 8; k++)
		assert_int_equal((uintptr_t)c.base + chain_page_offset(&c.pages, k),
			chain_at(&c, CHAIN_POINTER, k));
	chain_link(&c, CHAIN_POINTER);
	for (uint64_t k = 0; k < 8; k++)
		assert_int_equal(chain_at(&c, CHAIN_POINTER, k + 1),
			step(&c, CHAIN_POINTER, chain_at(&c, CHAIN_POINTER, k)));
}
