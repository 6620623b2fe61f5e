/* SPDX-License-Identifier: MIT */
/*
 * Statistics against values worked out by hand or by R's quantile(type = 7) and mad(constant = 1).
 */
#include "lib/math.h"
#include "lib/stats.h"
#include "tests/unit/test.h"

static double scratch[1000];

TEST(one_value)
{
	const double v[] = { 7 };
	struct stats s = stats_of(v, 1, scratch);

	near("median", 7, s.median);
	near("p99", 7, s.p99);
	near("mad", 0, s.mad);
	near("spread", 0, stats_spread(&s));
}

TEST(known_set)
{
	const double v[] = { 9, 1, 8, 2, 7, 3, 6, 4, 5, 100 };
	struct stats s = stats_of(v, 10, scratch);

	near("min", 1, s.min);
	near("p10", 1.9, s.p10);
	near("median", 5.5, s.median);
	near("p90", 18.1, s.p90);
	near("p99", 91.81, s.p99);
	near("max", 100, s.max);
	near("mean", 14.5, s.mean);
	near("mad", 2.5, s.mad);
	near("iqr", 7.75 - 3.25, s.iqr);
	assert_int_equal(1, s.outliers);
	near("spread", 1.57 * 4.5 / 3.16227766016838 / 5.5, stats_spread(&s));
}

TEST(values_are_kept)
{
	const double v[] = { 3, 1, 2 };

	stats_of(v, 3, scratch);
	near("first", 3, v[0]);
	near("second", 1, v[1]);
}

TEST(quantiles_interpolate)
{
	const double v[] = { 10, 20, 30, 40 };

	near("q0", 10, stats_quantile(v, 4, 0));
	near("q0.25", 17.5, stats_quantile(v, 4, 0.25));
	near("q0.5", 25, stats_quantile(v, 4, 0.5));
	near("q1", 40, stats_quantile(v, 4, 1));
}

TEST(sorts_anything)
{
	struct random r;

	random_seed(&r, 42);
	for (size_t n = 1; n <= 300; n++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += scratch[i] = (double)random_below(&r, n);
		stats_sort(scratch, n);
		for (size_t i = 0; i < n; i++) {
			sum -= scratch[i];
			if (i && scratch[i] < scratch[i - 1])
				fail_msg("n = %zu: place %zu is out of order", n, i);
		}
		near("sum of sorted values", 0, sum);
	}
}
