/* SPDX-License-Identifier: MIT */
/* The branch loops against plain C, in buffers between guard pages. */
#include "probes/branch/branch_pattern.c"
#include "probes/branch/branch.c"
#include "probes/loops/loops.h"
#include "lib/math.h"
#include "tests/unit/guard.h"
#include "tests/unit/test.h"

static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127,
	129, 255, 1000, 1023, 4095, 4097, 10000 };

#define SIZES (sizeof sizes / sizeof *sizes)

enum bytes_made { MADE_RANDOM, MADE_EVEN, MADE_ODD, KINDS };

static void fill(unsigned char *bytes, size_t n, enum bytes_made kind, struct random *r)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char byte = (unsigned char)random_next(r);

		bytes[i] = kind == MADE_RANDOM ? byte : kind == MADE_ODD ? byte | 1 : byte & ~1;
	}
}

static uint64_t call3(loop_fn *loop, uint64_t a, uint64_t b, uint64_t c)
{
	return loop(a, b, c, 0, 0, 0).value;
}

#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))

/* Runs one copying loop on n bytes and compares the whole destination with plain C. */
static void check_copy(loop_fn *loop, const char *name, int only_odd, size_t n,
	enum bytes_made kind, int at_start, struct random *r)
{
	unsigned char *from = guarded_side(0, n, at_start), *to = guarded_side(1, n, at_start);
	unsigned char wanted[10000];
	size_t k = 0;

	fill(from, n, kind, r);
	for (size_t i = 0; i < n; i++)
		if (!only_odd || from[i] % 2)
			wanted[k++] = from[i];
	uint64_t value = call3(loop, ADDRESS(to), ADDRESS(from), n);

	if (memcmp(to, wanted, k) || value != branch_digest(wanted, k))
		fail_msg("%s: n %zu, data %d: wrong copy or digest %#llx", name, n, kind,
			(unsigned long long)value);
}

TEST(test_copies)
{
	struct random r;

	random_seed(&r, 1);
	for (size_t i = 0; i < SIZES; i++)
		for (int kind = 0; kind < KINDS; kind++)
			for (int at = 0; at < 2; at++) {
				check_copy(loop_branch_copy, "branch_copy", 0, sizes[i], kind, at,
					&r);
				check_copy(loop_branch_copy_odd, "branch_copy_odd", 1, sizes[i],
					kind, at, &r);
				check_copy(loop_branch_copy_odd_free, "branch_copy_odd_free", 1,
					sizes[i], kind, at, &r);
			}
}

static const struct {
	const char *name;
	loop_fn *loop;
	int only_odd;
} word_loops[] = {
	{ "words_copy", loop_words_copy, 0 },
	{ "words_odd", loop_words_odd, 1 },
	{ "words_odd_free", loop_words_odd_free, 1 },
};

/* What is not copied must stay as it was. */
static void check_words(unsigned which, size_t n, enum bytes_made kind, int at_start,
	struct random *r)
{
	uint64_t *from = (uint64_t *)guarded_side(0, n * 8, at_start);
	uint64_t *to = (uint64_t *)guarded_side(1, n * 8, at_start), digest = 0;
	static uint64_t wanted[10000];

	for (size_t i = 0; i < n; i++) {
		uint64_t value = random_next(r);

		from[i] = kind == MADE_RANDOM ? value
			: kind == MADE_ODD    ? value | 1
					      : value & ~1ULL;
		to[i] = random_next(r);
		wanted[i] = !word_loops[which].only_odd || from[i] % 2 ? from[i] : to[i];
		digest = (digest << 5 | digest >> 59) ^ wanted[i];
	}
	uint64_t value = call3(word_loops[which].loop, ADDRESS(to), ADDRESS(from), n);

	if (memcmp(to, wanted, n * 8) || value != digest)
		fail_msg("%s: n %zu, data %d: wrong copy or digest %#llx", word_loops[which].name,
			n, kind, (unsigned long long)value);
}

TEST(test_words)
{
	struct random r;

	random_seed(&r, 5);
	for (size_t i = 0; i < SIZES; i++)
		for (int kind = 0; kind < KINDS; kind++)
			for (unsigned which = 0; which < 3; which++)
				for (int at = 0; at < 2; at++)
					check_words(which, sizes[i], kind, at, &r);
}

/* The digest must notice order and content, else the proof proves little. */
TEST(test_digest_notices)
{
	assert_int_not_equal(branch_digest((const unsigned char *)"ab", 2),
		branch_digest((const unsigned char *)"ba", 2));
	assert_int_not_equal(branch_digest((const unsigned char *)"ab", 2),
		branch_digest((const unsigned char *)"ac", 2));
	assert_int_not_equal(branch_digest((const unsigned char *)"\0", 1),
		branch_digest((const unsigned char *)"\0\0", 2));
}

static uint64_t states_by_hand(const unsigned char *bytes, size_t n)
{
	int64_t value = 0;
	int state = 0;

	for (size_t i = 0; i < n; i++) {
		value += state == (bytes[i] != 0) ? 1 : -1;
		state = bytes[i] != 0;
	}
	return (uint64_t)value;
}

static void fill_bits(unsigned char *bytes, size_t n, struct random *r)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = random_next(r) & 1;
}

TEST(test_states)
{
	struct random r;

	random_seed(&r, 2);
	for (size_t i = 0; i < SIZES; i++)
		for (int at = 0; at < 2; at++) {
			unsigned char *bytes = guarded_side(0, sizes[i], at);

			fill_bits(bytes, sizes[i], &r);
			uint64_t wanted = states_by_hand(bytes, sizes[i]);

			assert_int_equal(branch_states_value(bytes, sizes[i]), wanted);
			assert_int_equal(call3(loop_branch_states, ADDRESS(bytes), sizes[i], 0),
				wanted);
		}
}

TEST(test_walk)
{
	struct random r;

	random_seed(&r, 3);
	for (size_t i = 0; i < SIZES; i++)
		for (uint64_t passes = 1; passes < 4; passes++) {
			unsigned char *bytes = guarded_side(0, sizes[i], passes == 2);
			int64_t wanted = 0;

			fill_bits(bytes, sizes[i], &r);
			for (size_t k = 0; k < sizes[i]; k++)
				wanted += bytes[k] ? 1 : -1;
			assert_int_equal(branch_walk_value(bytes, sizes[i]), (uint64_t)wanted);
			assert_int_equal(call3(loop_branch_walk, ADDRESS(bytes), sizes[i], passes),
				(uint64_t)wanted);
		}
}

TEST(test_bits)
{
	struct random r;

	random_seed(&r, 4);
	for (size_t words = 0; words < 40; words++) {
		uint64_t *word = (uint64_t *)guarded_side(0, words * 8, words & 1);
		int64_t wanted = 0;

		for (size_t i = 0; i < words; i++) {
			word[i] = i == 5 ? 0 : i == 6 ? UINT64_MAX : random_next(&r);
			for (int bit = 0; bit < 64; bit++)
				wanted += word[i] >> bit & 1 ? 1 : -1;
		}
		assert_int_equal(branch_bits_value(word, words), (uint64_t)wanted);
		assert_int_equal(call3(loop_branch_bits, ADDRESS(word), words, 0),
			(uint64_t)wanted);
	}
}

/* A coin is a bit of a random word, the lowest first; nothing is written beyond the last coin. */
TEST(test_coins)
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
