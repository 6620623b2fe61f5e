/* SPDX-License-Identifier: MIT */
/* Deviations and the bootstrap, on values that are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/random.h"
#include "report/samples.h"

#define N 101

static void expect_number(double have, double want, const char *what)
{
	if (!(fabs(have - want) <= 1e-12 * fabs(want)))
		fail_msg("%s: expected %.15g, got %.15g", what, want, have);
}

/* R: mad(c(1, 2, 4, 8, 16), constant = 1) */
static void test_deviation(void **state)
{
	(void)state;
	static const double v[] = { 1, 2, 4, 8, 16 };

	expect_number(deviation_of(v, 5), 3, "mad");
	expect_number(deviation_of(v, 1), 0, "mad of one");
}

static void test_ranks_keep_the_order_taken(void **state)
{
	(void)state;
	static const double v[] = { 5, 1, 3, 1 };
	static const size_t ranks[] = { 3, 0, 2, 1 };
	struct samples s;

	samples_init(&s, v, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(s.rank[i], ranks[i]);
		assert_true(s.sorted[s.rank[i]] == v[i]);
	}
	samples_free(&s);
}

/* Sums of uniforms, from the generator of the probes with that seed: mean 2, spread about 0.3. */
static void noisy(double *values, uint64_t seed, double scale)
{
	struct random random;

	random_seed(&random, seed);
	for (int i = 0; i < N; i++) {
		values[i] = 0;
		for (int k = 0; k < 4; k++)
			values[i] += scale * (double)random_below(&random, 1 << 20) / (1 << 20);
	}
}

static struct interval interval(double *a, double *b)
{
	struct samples x, y;

	samples_init(&x, a, N);
	samples_init(&y, b, N);
	struct interval i = ratio_interval(&x, &y);
	samples_free(&x);
	samples_free(&y);
	return i;
}

static void test_constant_samples(void **state)
{
	(void)state;
	double a[N], b[N];

	for (int i = 0; i < N; i++) {
		a[i] = 4;
		b[i] = 6;
	}
	struct interval i = interval(a, b);
	expect_number(i.low, 1.5, "low");
	expect_number(i.high, 1.5, "high");
}

static void test_known_ratio(void **state)
{
	(void)state;
	double a[N], b[N];

	noisy(a, 1, 1);
	noisy(b, 2, 2);
	struct interval i = interval(a, b), again = interval(a, b);
	assert_true(i.low > 1.7 && i.low < 2 && i.high > 2 && i.high < 2.3);
	assert_true(i.low == again.low && i.high == again.high);
}

/* A 95 % interval of two equal distributions misses 1 in about 5 % of the cases. */
static void test_coverage(void **state)
{
	(void)state;
	unsigned missed = 0;

	for (uint64_t seed = 0; seed < 200; seed++) {
		double a[N], b[N];
		noisy(a, 2 * seed + 1, 1);
		noisy(b, 2 * seed + 2, 1);
		struct interval i = interval(a, b);
		missed += !(i.low <= 1 && i.high >= 1);
	}
	if (missed < 2 || missed > 24)
		fail_msg("a 95 %% interval missed the truth in %u of 200 cases", missed);
}

/* Levels that last for ten samples: blocks must make the interval wider than single draws would. */
static void test_drift_widens(void **state)
{
	(void)state;
	double level[N], steady[N], drifting[N];

	noisy(level, 3, 1);
	for (int i = 0; i < N; i++) {
		drifting[i] = level[i / 10];
		steady[i] = level[(i * 37) % N / 10]; /* the same values, shuffled */
	}
	struct interval wide = interval(drifting, drifting), narrow = interval(steady, steady);
	assert_true(wide.high - wide.low > 1.3 * (narrow.high - narrow.low));
}

static void test_nothing_to_compare(void **state)
{
	(void)state;
	struct samples none, one;
	double v = 1;

	samples_init(&none, NULL, 0);
	samples_init(&one, &v, 1);
	assert_true(isnan(ratio_interval(&none, &one).low));
	expect_number(ratio_interval(&one, &one).high, 1, "one sample each");
	samples_free(&none);
	samples_free(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deviation),
		cmocka_unit_test(test_ranks_keep_the_order_taken),
		cmocka_unit_test(test_constant_samples),
		cmocka_unit_test(test_known_ratio),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_drift_widens),
		cmocka_unit_test(test_nothing_to_compare),
	};
	return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
