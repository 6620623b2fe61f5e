/* SPDX-License-Identifier: MIT */
/* Chases side by side, the flush, lists: against plain C. */
#include "engine/chain.h"
#include "probes/lanes.h"
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define NODES 4000

static unsigned char *cursor_space;
static struct chain chain;

static void make_chain(void)
{
	static _Alignas(4096) unsigned char memory[NODES * 64 + 5 * 4096];
	struct arena arena = { .base = memory, .bytes = sizeof memory, .page_bytes = 4096 };
	struct random random;

	random_seed(&random, 7);
	if (chain_layout(&chain, &arena, NODES, 64))
		abort();
	chain_order_random(&chain, &random);
	chain_link(&chain, CHAIN_POINTER);
}

/* Walks by the pointers themselves, not by the index that lanes.c predicts from. */
static uint64_t walk(uint64_t from, uint64_t steps)
{
	while (steps--)
		memcpy(&from, (void *)(uintptr_t)from, sizeof from);
	return from;
}

static uint64_t *starts(unsigned lanes, uint64_t *sum, uint64_t steps)
{
	uint64_t *cursors = (uint64_t *)guarded_end(cursor_space, lanes * sizeof(uint64_t));

	*sum = 0;
	for (unsigned i = 0; i < lanes; i++) {
		cursors[i] = chain_at(&chain, CHAIN_POINTER, i * 37 + 5);
		*sum += walk(cursors[i], steps);
	}
	return cursors;
}

/* It goes on where the untimed loads end. */
TEST(one_chain_after_a_walk)
{
	for (uint64_t n = 0; n < 25; n++)
		for (uint64_t warm = 0; warm < 4; warm++) {
			uint64_t from = chain_at(&chain, CHAIN_POINTER, 5);
			uint64_t got =
				call_kernel("chase_warm", loop_chase_warm, from, n, warm, 0, 0);

			assert_int_equal(walk(from, 16 * (n + warm)), got);
		}
}

TEST(in_registers)
{
	for (unsigned lanes = 1; lanes <= LANES_REGISTERS; lanes++)
		for (uint64_t n = 0; n < 25; n++) {
			uint64_t sum, *at = starts(lanes, &sum, 8 * n);
			uint64_t got =
				call_kernel("lanes", lanes_loop(lanes), (uintptr_t)at, n, 0, 0, 0);

			if (got != sum)
				fail_msg("lanes_%u, n %lu: %#lx, plain C %#lx "
					 "(probes/loops/lanes_loops.S)",
					lanes, n, got, sum);
		}
}

static void array_one(unsigned each, unsigned groups, uint64_t n)
{
	uint64_t sum, *at = starts(each * groups, &sum, n);
	uint64_t got =
		call_kernel("lanes_many", loop_lanes_many, (uintptr_t)at, n, each, groups, 0);

	if (got != sum)
		fail_msg("lanes_many, %u groups of %u, n %lu: %#lx, plain C %#lx", groups, each, n,
			got, sum);
	for (unsigned i = 0; i < each * groups; i++)
		assert_int_equal(at[i], walk(chain_at(&chain, CHAIN_POINTER, i * 37 + 5), n));
}

TEST(in_an_array)
{
	for (uint64_t n = 0; n < 4; n++) {
		for (unsigned lanes = 1; lanes <= LANES_GROUP; lanes++)
			array_one(lanes, 1, n);
		for (unsigned groups = 2; groups <= 8; groups++)
			array_one(LANES_GROUP, groups, n);
		array_one(70, 3, n);
	}
}

static uint64_t work_done(unsigned lanes, uint64_t n, unsigned steps, uint64_t factor)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < lanes; i++)
		for (uint64_t k = 1; k <= n; k++) {
			uint64_t at = walk(chain_at(&chain, CHAIN_POINTER, i * 37 + 5), k);

			for (unsigned s = 0; s < steps; s++)
				at *= factor;
			sum += at;
		}
	return sum;
}

TEST(with_work)
{
	static const struct {
		const char *name;
		loop_fn *loop;
		unsigned steps;
	} loops[] = {
		{ "lanes_work_3", loop_lanes_work_3, 3 },
		{ "lanes_work_6", loop_lanes_work_6, 6 },
		{ "lanes_work_12", loop_lanes_work_12, 12 },
		{ "lanes_prefetch_3", loop_lanes_prefetch_3, 3 },
		{ "lanes_prefetch_6", loop_lanes_prefetch_6, 6 },
		{ "lanes_prefetch_12", loop_lanes_prefetch_12, 12 },
	};

	for (unsigned k = 0; k < 6; k++)
		for (unsigned lanes = 1; lanes <= 32; lanes++)
			for (uint64_t n = 0; n < 5; n++) {
				uint64_t sum, *at = starts(lanes, &sum, n);
				uint64_t work = work_done(lanes, n, loops[k].steps, 12345677);
				uint64_t got = call_kernel(loops[k].name, loops[k].loop,
					(uintptr_t)at, n, lanes, 1, 12345677);

				if (got != sum + work)
					fail_msg("%s, %u lanes, n %lu: %#lx, plain C %#lx",
						loops[k].name, lanes, n, got, sum + work);
			}
}

TEST(flushes)
{
	for (unsigned n = 0; n < 40; n++) {
		uint64_t sum, *at = starts(n, &sum, 0);

		assert_int_equal(call_kernel("flush", loop_flush, (uintptr_t)at, n, ~0ULL, ~0ULL,
					 ~0ULL),
			sum);
		if (__builtin_cpu_supports("clflushopt"))
			assert_int_equal(call_kernel("flushopt", loop_flushopt, (uintptr_t)at, n,
						 ~0ULL, ~0ULL, ~0ULL),
				sum);
		if (__builtin_cpu_supports("clwb"))
			assert_int_equal(call_kernel("write_back", loop_write_back, (uintptr_t)at,
						 n, ~0ULL, ~0ULL, ~0ULL),
				sum);
	}
}

struct node {
	uint64_t data;
	struct node *next;
};

/* A list through `nodes` at a guard page, forwards, backwards or every seventh; NULL if n is 0. */
static struct node *list_of(struct node *nodes, unsigned n, unsigned way)
{
	struct node *head = NULL;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = way == 0 ? i : way == 1 ? n - 1 - i : i * 7 % n;

		nodes[at] = (struct node){ i, head };
		head = &nodes[at];
	}
	return head;
}

static struct node *nodes_at(unsigned which, unsigned n, int at_start)
{
	return (struct node *)guarded_side(which, n * sizeof(struct node), at_start);
}

TEST(lists)
{
	for (unsigned n = 0; n < 60; n++)
		for (unsigned way = 0; way < (n % 7 ? 3 : 2); way++) {
			uint64_t one = (uintptr_t)list_of(nodes_at(0, n, way & 1), n, way);
			uint64_t two = (uintptr_t)list_of(nodes_at(1, n, way & 1), n, way);

			assert_int_equal(call_kernel("list_one", loop_list_one, one, 0, 0, 0, 0),
				n);
			assert_int_equal(call_kernel("list_two", loop_list_two, one, two, 0, 0, 0),
				n);
		}
}

/* Two lists that do not end together are not taken for two of the shorter one's length. */
TEST(lists_that_differ)
{
	for (unsigned n = 1; n < 40; n++)
		for (unsigned m = 1; m < 40; m++) {
			uint64_t one = (uintptr_t)list_of(nodes_at(0, n, 0), n, 0);
			uint64_t two = (uintptr_t)list_of(nodes_at(1, m, 0), m, 1);
			uint64_t got = call_kernel("list_two", loop_list_two, one, two, 0, 0, 0);

			if ((got == n || got == m) != (n == m))
				fail_msg("lists of %u and %u nodes: %lu", n, m, got);
		}
}

BEFORE_ALL(make_buffers)
{
	cursor_space = guarded();
	make_chain();
}
