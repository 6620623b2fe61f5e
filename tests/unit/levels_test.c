/* SPDX-License-Identifier: MIT */
/* At which sizes a level is measured, where the latency curve does not show all levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/bench.h"
#include "engine/levels.h"

/* Intel's leaf 4: L1d 32 KiB, L2 512 KiB, L3 4 MiB, of 8 ways and lines of 64 bytes. */
static struct cpuid three_caches(struct env *env, uint32_t leaf, uint32_t subleaf)
{
	static const uint32_t types[] = { 1, 3, 3 }, sets[] = { 64, 1024, 8192 };

	(void)env;
	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf < 3)
		return (struct cpuid){ types[subleaf] | (subleaf + 1) << 5, 7u << 22 | 63,
			sets[subleaf] - 1, 0 };
	return (struct cpuid){ 0 };
}

static struct cpuid nothing(struct env *env, uint32_t leaf, uint32_t subleaf)
{
	(void)env;
	(void)leaf;
	(void)subleaf;
	return (struct cpuid){ 0 };
}

/* Two levels and memory on the curve; the second's size, 0: it runs into the next one. */
static struct bench two_levels(struct env *env, uint64_t second)
{
	struct bench b = { .env = env };

	b.caches = (struct caches){ .count = 2, .bytes = { 32 * KIB, second }, .memory_ns = 80 };
	b.arena.bytes = GIB;
	levels_set(&b);
	return b;
}

static void a_hidden_level_is_as_large_as_claimed(void **state)
{
	struct env env = { .cpuid = three_caches };
	struct bench b = two_levels(&env, 0);

	(void)state;
	assert_string_equal("cpuid", b.levels[LEVEL_L2].origin);
	assert_int_equal(256 * KIB, b.levels[LEVEL_L2].bytes);
	assert_string_equal("cpuid", b.levels[LEVEL_L3].origin);
	assert_in_range(b.levels[LEVEL_L3].bytes, MIB, 4 * MIB);
	assert_int_equal(0, b.levels[LEVEL_L4].bytes);
}

static void no_claim_makes_no_level(void **state)
{
	struct env env = { .cpuid = nothing };
	struct bench b = two_levels(&env, 0);

	(void)state;
	assert_string_equal("assumed", b.levels[LEVEL_L2].origin);
	assert_int_equal(0, b.levels[LEVEL_L3].bytes);
}

/* What a whole curve does not show is not there, whatever CPUID says. */
static void a_whole_curve_is_believed(void **state)
{
	struct env env = { .cpuid = three_caches };
	struct bench b = two_levels(&env, 512 * KIB);

	(void)state;
	assert_string_equal("measured", b.levels[LEVEL_L2].origin);
	assert_int_equal(0, b.levels[LEVEL_L3].bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hidden_level_is_as_large_as_claimed),
		cmocka_unit_test(no_claim_makes_no_level),
		cmocka_unit_test(a_whole_curve_is_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
