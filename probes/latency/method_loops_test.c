/* SPDX-License-Identifier: MIT */
/* Groot Koerkamp's chases, alone and side by side with work, against plain C. */
#include "engine/chain.h"
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define NODES_MOST 1000

static unsigned char *buffer, *cursor_space;

/* A random cycle of n nodes, each `stride` bytes, that ends where memory ends. */
static struct chain chain_of(uint64_t n, uint64_t stride, enum chain_link kind)
{
	static _Alignas(4096) unsigned char memory[NODES_MOST * 64 + 5 * 4096];
	struct arena arena = { .base = memory, .bytes = sizeof memory, .page_bytes = 4096 };
	struct chain c;
	struct random random;

	random_seed(&random, n);
	if (chain_layout(&c, &arena, n, stride))
		abort();
	c.base = guarded_end(buffer, n * stride);
	chain_order_random(&c, &random);
	chain_link(&c, kind);
	return c;
}

static uint64_t word_at(uint64_t address)
{
	uint64_t word;

	memcpy(&word, (void *)(uintptr_t)address, sizeof word);
	return word;
}

static uint64_t walk(uint64_t pointer, uint64_t steps)
{
	while (steps--)
		pointer = word_at(pointer);
	return pointer;
}

static uint64_t walk_index(const struct chain *c, uint64_t i, uint64_t steps)
{
	while (steps--)
		i = word_at((uintptr_t)c->base + i * c->stride);
	return i;
}

static void check_index(const char *name, loop_fn *loop, uint64_t n, uint64_t stride,
	uint64_t loads)
{
	struct chain c = chain_of(n, stride, CHAIN_INDEX);
	uint64_t start = n / 2, wanted = walk_index(&c, start, loads);
	uint64_t got = call_kernel(name, loop, (uintptr_t)c.base, start, loads, n, 0);

	if (got != wanted)
		fail_msg("%s of %lu nodes, %lu loads: %lu, plain C %lu "
			 "(probes/latency/method_loops.S)",
			name, n, loads, got, wanted);
}

static void check_raw(uint64_t n, uint64_t stride, uint64_t loads)
{
	struct chain c = chain_of(n, stride, CHAIN_POINTER);
	uint64_t start = (uintptr_t)c.base + n / 2 * stride;
	uint64_t got = call_kernel("method_raw", loop_method_raw, start, loads, 0, 0, 0);

	if (got != walk(start, loads))
		fail_msg("method_raw of %lu nodes, %lu loads: another end than plain C", n, loads);
}

TEST(methods)
{
	for (uint64_t n = 1; n <= NODES_MOST; n = n * 3 / 2 + 1)
		for (uint64_t loads = 0; loads <= 40; loads += 8) {
			check_index("method_checked", loop_method_checked, n, 8, loads + n % 8);
			check_index("method_unchecked", loop_method_unchecked, n, 8, loads);
			check_index("method_padded", loop_method_padded, n, 64, loads);
			check_raw(n, 8, loads);
			check_raw(n, 64, loads);
		}
}

/* An index at or beyond the limit is not used: nothing beyond the buffer is loaded. */
TEST(the_check_checks)
{
	uint64_t *base = (uint64_t *)guarded_end(buffer, 5 * 8);

	for (unsigned i = 0; i < 5; i++)
		base[i] = i + 1;
	assert_int_equal(4,
		call_kernel("method_checked", loop_method_checked, (uintptr_t)base, 0, 4, 5, 0));
	assert_int_equal(5,
		call_kernel("method_checked", loop_method_checked, (uintptr_t)base, 0, 5, 5, 0));
	assert_true(call_kernel("method_checked", loop_method_checked, (uintptr_t)base, 0, 6, 5,
			    0) == UINT64_MAX);
	assert_true(call_kernel("method_checked", loop_method_checked, (uintptr_t)base, 1ULL << 60,
			    1, 5, 0) == UINT64_MAX);
}

/* What his loop body says, with the product of 128 bits. */
static uint64_t worked(uint64_t pointer, uint64_t base, uint64_t work)
{
	uint64_t x = (uint64_t)((int64_t)(pointer - base) >> 3), y = x, z = x;

	while (work--) {
		x += x >> 1;
		y = (uint64_t)((unsigned __int128)y * x >> 64);
		z += y;
	}
	return z;
}

static void check_batch(const char *name, loop_fn *loop, const struct chain *c, unsigned lanes,
	uint64_t n, uint64_t base, uint64_t work)
{
	uint64_t *at = (uint64_t *)guarded_end(cursor_space, lanes * sizeof(uint64_t)), sum = 0;

	for (unsigned i = 0; i < lanes; i++) {
		at[i] = chain_at(c, CHAIN_POINTER, i * 37 + 5);
		for (uint64_t k = 1; k <= n; k++)
			sum += worked(walk(at[i], k), base, work);
		sum += walk(at[i], n);
	}
	uint64_t got = call_kernel(name, loop, (uintptr_t)at, n, lanes, base, work);

	if (got != sum)
		fail_msg("%s, %u lanes, n %lu, work %lu: %#lx, plain C %#lx "
			 "(probes/loops/batch_loops.S)",
			name, lanes, n, work, got, sum);
	for (unsigned i = 0; i < lanes; i++)
		assert_int_equal(at[i], walk(chain_at(c, CHAIN_POINTER, i * 37 + 5), n));
}

/* The base decides how large x is: 0 and beyond give products with a high half. */
TEST(batches)
{
	static const uint64_t bases[] = { 0, 0x123456789abcdef0, 0x8000000000000008 };
	struct chain c = chain_of(NODES_MOST, 64, CHAIN_POINTER);

	for (unsigned lanes = 1; lanes <= 40; lanes++)
		for (uint64_t n = 0; n < 3; n++)
			for (uint64_t work = 0; work <= 12; work = work * 2 + 3)
				for (unsigned i = 0; i < 3; i++) {
					check_batch("batch_work", loop_batch_work, &c, lanes, n,
						bases[i], work);
					check_batch("batch_prefetch", loop_batch_prefetch, &c,
						lanes, n, bases[i], work);
				}
}

BEFORE_ALL(make_buffers)
{
	buffer = guarded();
	cursor_space = guarded();
}
