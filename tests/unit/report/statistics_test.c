/* SPDX-License-Identifier: MIT */
/* How well a median is known, against what is known of normal samples. */
#include <math.h>

#include "lib/math.h"
#include "report/compare/statistics.h"
#include "tests/unit/test.h"

#define N 101

/* Sums of twelve uniforms: mean 0, deviation 1. */
static void noisy(double *values, uint64_t seed)
{
	struct random random;

	random_seed(&random, seed);
	for (int i = 0; i < N; i++) {
		values[i] = -6;
		for (int k = 0; k < 12; k++)
			values[i] += (double)random_below(&random, 1 << 20) / (1 << 20);
	}
}

/* sqrt(pi / 2 / n) of a deviation of 1, over 50 sets of samples. */
TEST(test_error_of_a_median)
{
	double values[N], mean = 0, want = sqrt(1.5708 / N);

	for (uint64_t seed = 1; seed <= 50; seed++) {
		noisy(values, seed);
		mean += median_error(values, N) / 50;
	}
	if (!(fabs(mean / want - 1) < 0.15))
		fail_msg("error of a median of %d: expected %g, got %g", N, want, mean);
	assert_true(fabs(median_error_by_mad(0.6745, N) / want - 1) < 0.01);
}

TEST(test_no_error)
{
	static const double same[] = { 4, 4, 4, 4 };

	assert_true(median_error(same, 4) == 0);
	assert_true(median_error(same, 1) == 0);
	assert_true(median_error(same, 0) == 0);
	assert_true(median_error_by_mad(1, 1) == 0);
}

/* Levels that last for ten samples: blocks must make the error larger than single draws would. */
TEST(test_drift_widens)
{
	double level[N], steady[N], drifting[N];

	noisy(level, 3);
	for (int i = 0; i < N; i++) {
		drifting[i] = level[i / 10];
		steady[i] = level[(i * 37) % N / 10]; /* the same values, shuffled */
	}
	assert_true(median_error(drifting, N) > 1.3 * median_error(steady, N));
	assert_true(median_error(drifting, N) == median_error(drifting, N));
}
