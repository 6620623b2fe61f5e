/* SPDX-License-Identifier: MIT */
/* The chase after a walk, the flush of few lines, lists: no row has them so. */
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
	chain_link(&chain, CHAIN_POINTER, NULL);
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

struct data_node {
	uint64_t data;
	struct data_node *next;
};

/* A list through `nodes` at a guard page, forwards, backwards or every seventh; NULL if n is 0. */
static struct data_node *list_of(struct data_node *nodes, unsigned n, unsigned way)
{
	struct data_node *head = NULL;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = way == 0 ? i : way == 1 ? n - 1 - i : i * 7 % n;

		nodes[at] = (struct data_node){ i, head };
		head = &nodes[at];
	}
	return head;
}

static struct data_node *nodes_at(unsigned which, unsigned n, int at_start)
{
	return (struct data_node *)guarded_side(which, n * sizeof(struct data_node), at_start);
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
