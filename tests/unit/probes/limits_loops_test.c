/* SPDX-License-Identifier: MIT */
/* The loops of `limits` against plain C, in words that begin or end at a page that faults. */
#include <string.h>

#include "engine/bench.h"
#include "probes/limits.c"
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define BYTES (LIMITS_WORDS * sizeof(uint64_t))

static bool can_be_run(const struct limits_kind *k)
{
	return (!(k->needs & NEED_AVX2) || __builtin_cpu_supports("avx2")) &&
		(!(k->needs & NEED_FMA) || __builtin_cpu_supports("fma")) &&
		(!(k->needs & NEED_BMI2) || __builtin_cpu_supports("bmi2")) &&
		(!(k->needs & NEED_AVX512) ||
			(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")));
}

static void fill(uint64_t *words)
{
	for (unsigned i = 0; i < LIMITS_WORDS; i++)
		words[i] = 0x9e3779b97f4a7c15ULL * (i + 1);
}

static void check(const struct limits_kind *k, bool more, uint64_t n, bool at_start)
{
	uint64_t *words = (uint64_t *)(void *)guarded_side(0, BYTES, at_start), kept[LIMITS_WORDS];
	loop_fn *loop = more ? k->more : k->less;

	fill(words);
	uint64_t value = call_kernel(k->variant, loop, n, (uintptr_t)(words + LIMITS_WORDS / 2),
		PATTERN, 0, 0);

	memcpy(kept, words, BYTES);
	fill(words);
	uint64_t wanted = limits_value(k, more, n, words, PATTERN);

	if (value != wanted || memcmp(kept, words, BYTES))
		fail_msg("%s, %s, %lu turns: plain C says %#lx, the loop %#lx; memory is %s",
			k->variant, more ? "more" : "less", n, wanted, value,
			memcmp(kept, words, BYTES) ? "another" : "the same");
}

TEST(each_kind_as_plain_c)
{
	for (unsigned i = 0; i < limits_kind_count; i++)
		for (uint64_t n = 0; n < 24 && can_be_run(&limits_kinds[i]); n++)
			for (unsigned more = 0; more < 2; more++)
				for (unsigned at_start = 0; at_start < 2; at_start++)
					check(&limits_kinds[i], more, n, at_start);
}

static uint64_t value_of(const char *variant, bool more, uint64_t n)
{
	uint64_t words[LIMITS_WORDS];

	for (unsigned i = 0; i < LIMITS_WORDS; i++)
		words[i] = i;
	for (unsigned i = 0; i < limits_kind_count; i++)
		if (!strcmp(limits_kinds[i].variant, variant))
			return limits_value(&limits_kinds[i], more, n, words, PATTERN);
	fail_msg("no kind '%s'", variant);
	return 0;
}

/* Plain C itself: twelve registers begin with 1 to 12, which is 78. */
TEST(by_hand)
{
	assert_int_equal(7, value_of("nop", true, 7));
	assert_int_equal(78, value_of("add", false, 0));
	assert_int_equal(78 + 3 * 119, value_of("add", false, 3));
	assert_int_equal(78 + 3 * 239, value_of("lea", true, 3));
	/* 59 are four rounds of twelve and eleven: five steps each, of the last one four */
	assert_int_equal(32 * 66 + 16 * 12, value_of("shl", false, 1));
	assert_int_equal(243 * 66 + 81 * 12, value_of("imul", false, 1));
	assert_int_equal(2 + 2 * 119, value_of("vector-128", true, 2));
	assert_int_equal(1 + 31 + 0 + 9, value_of("load-64", false, 1));
	assert_int_equal(1 + 3 * (0 + 10 + 20 + 30), value_of("load-128", true, 1));
	assert_int_equal(0 + 11, value_of("store-64", true, 0));
	assert_int_equal(5 + 2 * PATTERN, value_of("store-64", true, 5));
	assert_int_equal(4 + 9 + 2 + 4 + 4 + 4, value_of("load-store", false, 4));
	assert_int_equal(6, value_of("branch-taken", true, 6));
}
