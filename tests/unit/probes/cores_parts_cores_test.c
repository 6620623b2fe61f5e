/* SPDX-License-Identifier: MIT */
/* The order of CPUs, and the line that two threads hand each other. */
#include <pthread.h>

#include "probes/cores/cores_parts.h"
#include "tests/unit/test.h"

static void expect_order(const struct cpu_location *places, unsigned n, const unsigned *expected)
{
	const struct facts facts = { .cpus = n, .topology = places };
	unsigned *order = test_malloc(n * sizeof *order);

	cores_order(&facts, order);
	for (unsigned i = 0; i < n; i++)
		if (order[i] != expected[i])
			fail_msg("place %u: expected CPU %u, came %u", i, expected[i], order[i]);
	test_free(order);
}

/* Two packages of two cores of two threads. */
static const struct cpu_location places[] = { { .core = 0 }, { .core = 0, .thread = 1 },
	{ .core = 1 }, { .core = 1, .thread = 1 }, { .package = 1, .core = 0 },
	{ .package = 1, .core = 0, .thread = 1 }, { .package = 1, .core = 1 },
	{ .package = 1, .core = 1, .thread = 1 } };

TEST(places_have_words)
{
	const struct facts facts = { .cpus = 8, .topology = places }, unknown = { .cpus = 8 };

	assert_string_equal(cores_between(&facts, 0, 1), ", siblings of one core");
	assert_string_equal(cores_between(&facts, 0, 3), ", one die");
	assert_string_equal(cores_between(&facts, 1, 5), ", two packages");
	assert_string_equal(cores_between(&unknown, 0, 1), "");
}

TEST(dies_and_packages_are_counted)
{
	static const struct cpu_location dies[] = { { .die = 0, .core = 0, .l3 = 0 },
		{ .die = 0, .core = 1, .l3 = 1 }, { .die = 1, .core = 0, .l3 = 2 },
		{ .die = 1, .core = 0, .l3 = UINT32_MAX }, { .package = 1, .core = 0, .l3 = 1 },
		{ .package = 1, .core = UINT32_MAX, .l3 = UINT32_MAX },
		{ .package = UINT32_MAX, .core = UINT32_MAX, .l3 = UINT32_MAX } };
	/* one last cache, or, where that is not known of both, one die of one package */
	static const bool shared[][7] = { { 1, 0, 0, 0, 0, 0, 0 }, { 0, 1, 0, 0, 1, 0, 0 },
		{ 0, 0, 1, 1, 0, 0, 0 }, { 0, 0, 1, 1, 0, 0, 0 }, { 0, 1, 0, 0, 1, 1, 0 },
		{ 0, 0, 0, 0, 1, 1, 0 }, { 0, 0, 0, 0, 0, 0, 1 } };
	const struct facts facts = { .cpus = 7, .topology = dies }, unknown = { .cpus = 7 };

	assert_string_equal(cores_between(&facts, 0, 2), ", two dies");
	assert_string_equal(cores_between(&facts, 2, 3), ", siblings of one core");
	assert_string_equal(cores_between(&facts, 0, 6), "");
	assert_string_equal(cores_between(&facts, 6, 0), "");
	assert_int_equal(3, cores_packages(&facts)); /* one of them nowhere */
	assert_int_equal(6, cores_cores(&facts));    /* each that is nowhere by itself */
	for (unsigned i = 0; i < 7; i++)
		for (unsigned k = 0; k < 7; k++) {
			if (cores_share_cache(&facts, i, k) != shared[i][k])
				fail_msg("CPUs %u and %u: expected %d", i, k, shared[i][k]);
			assert_true(cores_share_cache(&unknown, i, k));
		}
}

/* One CPU and all of them are what a machine is judged by; what lies between comes later. */
TEST(between_one_and_all_is_less_important)
{
	struct room room = { .facts = { .cpus = 8 } };
	const struct bench b = { .room = &room };

	assert_int_equal(DROP_LATE, cores_step_drop_order(&b, 1, DROP_LATE));
	assert_int_equal(DROP_LATE + 2, cores_step_drop_order(&b, 2, DROP_LATE));
	assert_int_equal(DROP_MIDDLE + 2, cores_step_drop_order(&b, 7, DROP_MIDDLE));
	assert_int_equal(DROP_LATE, cores_step_drop_order(&b, 8, DROP_LATE));
}

TEST(siblings_come_last)
{
	static const unsigned expected[] = { 0, 2, 4, 6, 1, 3, 5, 7 };

	expect_order(places, 8, expected);
}

TEST(unknown_places_keep_their_order)
{
	static const struct cpu_location nowhere[] = { { .core = UINT32_MAX },
		{ .core = UINT32_MAX }, { .core = UINT32_MAX } };
	static const unsigned expected[] = { 0, 1, 2 };

	expect_order(nowhere, 3, expected);
	expect_order(NULL, 3, expected);
}

static void expect_counts(unsigned all, const unsigned *expected)
{
	for (unsigned n = 1; n <= all; n = cores_next_count(n, all), expected++)
		if (n != *expected)
			fail_msg("of %u CPUs: expected %u at work, came %u", all, *expected, n);
	assert_int_equal(0, *expected);
}

TEST(counts_double_up_to_all)
{
	static const unsigned one[] = { 1, 0 }, six[] = { 1, 2, 4, 6, 0 },
			      eight[] = { 1, 2, 4, 8, 0 };

	expect_counts(1, one);
	expect_counts(6, six);
	expect_counts(8, eight);
}

#define ROUNDS 1000

static _Alignas(128) volatile uint64_t line[16];

static void *second(void *arg)
{
	struct timed *t = arg;

	*t = loop_bounce((uint64_t)(uintptr_t)line, 1, ROUNDS, 1ULL << 32, 0, 0);
	return NULL;
}

TEST(line_goes_to_and_fro)
{
	struct timed other;
	pthread_t thread;

	line[0] = 0;
	assert_int_equal(0, pthread_create(&thread, NULL, second, &other));
	struct timed t = loop_bounce((uint64_t)(uintptr_t)line, 0, ROUNDS, 1ULL << 32, 0, 0);

	pthread_join(thread, NULL);
	assert_int_equal(2 * ROUNDS, t.value);
	assert_int_equal(2 * ROUNDS + 1, other.value);
	assert_int_equal(2 * ROUNDS, line[0]);
	assert_int_equal(0, line[1]);
}

TEST(nobody_answers)
{
	line[0] = 0;
	struct timed t = loop_bounce((uint64_t)(uintptr_t)line, 0, ROUNDS, 1000, 0, 0);

	assert_int_equal(2, t.value);
}
