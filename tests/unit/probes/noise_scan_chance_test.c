/* SPDX-License-Identifier: MIT */
/* "One cause" is said only where chance is excluded: Poisson's tail against known values. */
#include <math.h>

#include "probes/noise/noise_scan.h"
#include "tests/unit/test.h"

static double tail(double expected, unsigned count)
{
	double below = 0;

	for (unsigned k = 0; k < count; k++)
		below += exp(-expected + k * log(expected) - lgamma(k + 1.0));
	return 1 - below;
}

/* Never where chance is not excluded; and from little beyond the limit on. */
TEST(as_poissons_tail_says)
{
	static const double expected[] = { 0.01, 0.5, 1, 3, 10, 100, 600 };

	for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
		for (unsigned count = 0; count < 1000; count++) {
			double p = tail(expected[i], count);
			bool beyond = noise_beyond_chance(expected[i], count);

			if (beyond ? p > NOISE_CHANCE : p < NOISE_CHANCE / 3 && p > 1e-9)
				fail_msg("%u events where %g are expected: p %g, but said %d",
					count, expected[i], p, beyond);
		}
	assert_false(noise_beyond_chance(0, 0));
	assert_true(noise_beyond_chance(0, 1));
	assert_true(noise_beyond_chance(1000, 5000));
}

/* Two CPUs: 1000 gaps that take 1 %, 10 that take 50 %. */
TEST(overlaps_of_strangers)
{
	struct cpu_gaps cpus[] = {
		{ .gaps = 1000, .gap_ticks = 1e7, .observed_ticks = 1e9 },
		{ .gaps = 10, .gap_ticks = 5e8, .observed_ticks = 1e9 },
	};
	struct gap_monitor m = { .n = 2, .cpus = cpus };

	assert_true(fabs(noise_expected_overlaps(&m) - 500.1) < 1e-9);
	m.n = 1;
	assert_true(noise_expected_overlaps(&m) == 0);
}
