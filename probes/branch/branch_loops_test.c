/* SPDX-License-Identifier: MIT */
/*
 * The branch loops with few and odd numbers of elements, which no row has: beside pages that fault,
 * against what the rows' proofs are made with.
 */
#include "probes/branch/branch_pattern.c"
#include "probes/branch/branch.c"
#include "probes/states.h"
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define MOST 40 /* elements */

enum bytes_made { MADE_RANDOM, MADE_EVEN, MADE_ODD, KINDS };

static uint64_t made(struct random *r, enum bytes_made kind)
{
	uint64_t value = random_next(r);

	return kind == MADE_RANDOM ? value : kind == MADE_ODD ? value | 1 : value & ~1ULL;
}

/* Bytes that are copied stand one after the other. */
static void check_copy(const struct word_copy *c, unsigned n, enum bytes_made kind,
	struct random *r)
{
	unsigned char *from = guarded_side(0, n, n & 1), *to = guarded_side(1, n, n & 1);
	unsigned char wanted[MOST];
	size_t k = 0;

	for (unsigned i = 0; i < n; i++) {
		from[i] = (unsigned char)made(r, kind);
		if (!c->odd_only || from[i] % 2)
			wanted[k++] = from[i];
	}
	uint64_t value = call_kernel(c->variant, c->loop, (uintptr_t)to, (uintptr_t)from, n, 0, 0);

	if (memcmp(to, wanted, k) || value != branch_digest(wanted, k))
		fail_msg("%s of %u: wrong copy or digest %#lx", c->variant, n, value);
}

/* Words that are not copied stay. */
static void check_words(const struct branch_words *w, unsigned n, enum bytes_made kind,
	struct random *r)
{
	uint64_t *from = (uint64_t *)guarded_side(0, n * 8, n & 1);
	uint64_t *to = (uint64_t *)guarded_side(1, n * 8, n & 1), wanted[MOST], digest = 0;

	for (unsigned i = 0; i < n; i++) {
		from[i] = made(r, kind);
		to[i] = random_next(r);
		wanted[i] = !w->odd_only || from[i] % 2 ? from[i] : to[i];
		digest = (digest << 5 | digest >> 59) ^ wanted[i];
	}
	uint64_t value = call_kernel(w->variant, w->loop, (uintptr_t)to, (uintptr_t)from, n, 0, 0);

	if (memcmp(to, wanted, n * 8) || value != digest)
		fail_msg("%s of %u: wrong copy or digest %#lx", w->variant, n, value);
}

TEST(few_are_copied)
{
	struct random r;

	random_seed(&r, 1);
	for (unsigned n = 0; n < MOST; n++)
		for (enum bytes_made kind = 0; kind < KINDS; kind++) {
			for (unsigned i = 0; i < sizeof copies / sizeof *copies; i++)
				check_copy(&copies[i], n, kind, &r);
			for (unsigned i = 0; i < sizeof word_kinds / sizeof *word_kinds; i++)
				check_words(&word_kinds[i], n, kind, &r);
		}
}

TEST(a_branch_for_each)
{
	struct random r;

	random_seed(&r, 2);
	for (unsigned n = 0; n < MOST; n++) {
		unsigned char *bytes = guarded_side(0, n, n & 1);
		uint64_t *words = (uint64_t *)guarded_side(1, n * 8, n & 1), a = (uintptr_t)bytes;

		for (unsigned i = 0; i < n; i++) {
			bytes[i] = random_next(&r) & 1;
			words[i] = i == 5 ? 0 : i == 6 ? UINT64_MAX : random_next(&r);
		}
		for (uint64_t passes = 1; passes < 4; passes++)
			assert_int_equal(branch_walk_value(bytes, n),
				call_kernel("branch_walk", loop_branch_walk, a, n, passes, 0, 0));
		assert_int_equal(branch_bits_value(words, n),
			call_kernel("branch_bits", loop_branch_bits, (uintptr_t)words, n, 0, 0, 0));
	}
}

TEST(states_of_few)
{
	struct random r;

	random_seed(&r, 3);
	for (unsigned n = 0; n < MOST; n++) {
		int *data = (int *)guarded_side(0, n * sizeof *data, n & 1);
		uint64_t a = (uintptr_t)data;

		states_fill(&r, data, n);
		assert_int_equal(3 * states_value(data, n),
			call_kernel("states", loop_timed_call, (uintptr_t)leaf_states, 3, a, n,
				STATES_THRESHOLD));
		assert_int_equal(3 * states_value(data, n),
			call_kernel("states_on_stack", loop_timed_call,
				(uintptr_t)leaf_states_on_stack, 3, a, n, STATES_THRESHOLD));
	}
}

/* The proofs themselves, by hand. */
TEST(proofs_by_hand)
{
	const unsigned char bytes[] = { 0, 1, 1, 0, 1 };
	const int states[] = { 10, 60, 8, 7, 50, 51, 52 };
	const uint64_t words[] = { 0, UINT64_MAX, 7 };

	assert_int_equal(((10 + 60 * 60 + (8 >> 2)) ^ 7) + 50 + 51 * 51 + (52 >> 2),
		states_value(states, 7));
	assert_int_equal(1, branch_walk_value(bytes, 5));
	assert_int_equal(3 - 61, (int64_t)branch_bits_value(words, 3));
	assert_int_not_equal(branch_digest((const unsigned char *)"ab", 2),
		branch_digest((const unsigned char *)"ba", 2));
	assert_int_not_equal(branch_digest((const unsigned char *)"ab", 2),
		branch_digest((const unsigned char *)"ac", 2));
	assert_int_not_equal(branch_digest((const unsigned char *)"\0", 1),
		branch_digest((const unsigned char *)"\0\0", 2));
}

/* A coin is a bit of a random word, the lowest first; nothing is written beyond the last coin. */
TEST(coins)
{
	static const uint64_t counts[] = { 0, 1, 63, 64, 65, 130 };

	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		unsigned char coins[256];
		struct random r, same;
		uint64_t word = 0;

		random_seed(&r, i);
		random_seed(&same, i);
		memset(coins, 0x5a, sizeof coins);
		branch_fill_coins(&r, coins, counts[i]);
		for (uint64_t k = 0; k < sizeof coins; k++, word >>= 1) {
			if (k % 64 == 0)
				word = random_next(&same);
			assert_int_equal(k < counts[i] ? word & 1 : 0x5a, coins[k]);
		}
	}
}
