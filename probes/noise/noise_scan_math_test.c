/* SPDX-License-Identifier: MIT */
/*
 * Tests the gap scan's arithmetic: the gaps kept are the longest, and stops and moments are right.
 */
#include "probes/noise/noise.c"
#include "probes/noise/noise_scan.c"
#include "lib/math.h"
#include "tests/unit/test.h"

static int by_length(const void *a, const void *b)
{
	double x = ((const struct kept *)a)->length_ns, y = ((const struct kept *)b)->length_ns;

	return (x > y) - (x < y);
}

/* After each, in any order: the shortest kept stands first, and all are the longest so far. */
TEST(the_longest_so_far_are_kept)
{
	struct kept kept[8], all[200], sorted[200];
	struct random r;

	random_seed(&r, 3);
	for (unsigned order = 0; order < 60; order++) {
		struct longest l = { kept, 0, 1 + order % 7 };

		kept[l.capacity].length_ns = 1e9; /* is not its */
		for (unsigned n = 1; n <= 40; n++) {
			double random = (double)random_below(&r, 50);

			all[n - 1] = (struct kept){ .length_ns = order < 7 ? n
					: order < 14                       ? 100 - n
									   : random };
			longest_add(&l, &all[n - 1]);
			memcpy(sorted, all, n * sizeof *all);
			qsort(sorted, n, sizeof *sorted, by_length);
			assert_int_equal(n < l.capacity ? n : l.capacity, l.n);
			assert_true(kept[0].length_ns == sorted[n - l.n].length_ns);
			struct kept now[8];

			memcpy(now, kept, sizeof now);
			qsort(now, l.n, sizeof *now, by_length);
			for (unsigned i = 0; i < l.n; i++)
				if (now[i].length_ns != sorted[n - l.n + i].length_ns)
					fail_msg("of %u gaps, place %u of %u: expected %g ns, came "
						 "%g",
						n, i, l.n, sorted[n - l.n + i].length_ns,
						now[i].length_ns);
		}
	}
}

/* Gaps a period of 1 s apart, as long as the pause of 50 ms, but for what a test changes. */
static unsigned stops_with(unsigned n, unsigned changed, double at, double length)
{
	static struct kept gaps[300];

	for (unsigned i = 0; i < n; i++)
		gaps[i] = (struct kept){ .at_ns = 1e9 * i, .length_ns = 50e6 };
	gaps[changed] = (struct kept){ .at_ns = at, .length_ns = length };
	return noise_rt_stops(gaps, n, 50e6, 1e9);
}

TEST(what_is_like_a_stop)
{
	static const struct {
		double at, length;
		unsigned stops;
	} third[] = { { 2e9, 50e6, 4 }, { 2e9, 59.9e6, 4 }, { 2e9, 40.1e6, 4 }, { 2e9, 60.1e6, 3 },
		{ 2e9, 39.9e6, 3 }, { 2.049e9, 50e6, 4 }, { 2.051e9, 50e6, 0 },
		{ 1.951e9, 50e6, 4 }, { 1.949e9, 50e6, 0 }, { 1.51e9, 50e6, 0 },
		{ 1.02e9, 50e6, 0 }, { 7e9, 50e6, 4 } };

	for (unsigned i = 0; i < sizeof third / sizeof *third; i++) {
		unsigned came = stops_with(4, 2, third[i].at, third[i].length);

		if (came != third[i].stops)
			fail_msg("third at %g s, of %g ms: expected %u stops, came %u",
				third[i].at / 1e9, third[i].length / 1e6, third[i].stops, came);
	}
	assert_int_equal(2, stops_with(2, 0, 0, 50e6));
	assert_int_equal(0, stops_with(1, 0, 0, 50e6));
	assert_int_equal(256, stops_with(256, 0, 0, 50e6));
	assert_int_equal(256, stops_with(300, 0, 0, 50e6)); /* that are looked at */
}

#define TIMES 4

/* Scans of three processors; gaps as {end, length} from a common zero, in order; {0, 0} ends. */
static void look_at(const struct gap gaps[3][TIMES], bool marks[3][TIMES], struct moments *m)
{
	struct timeline lines[3];
	struct gap_scan *scans[3];

	for (unsigned cpu = 0; cpu < 3; cpu++) {
		scans[cpu] = calloc(1, sizeof *scans[cpu] + TIMES * sizeof(struct gap));
		scans[cpu]->started = 10 * cpu;
		for (; gaps[cpu][scans[cpu]->recorded].at; scans[cpu]->recorded++) {
			struct gap gap = gaps[cpu][scans[cpu]->recorded];

			gap.at -= scans[cpu]->started;
			scans[cpu]->events[scans[cpu]->recorded] = gap;
		}
		lines[cpu] = (struct timeline){ .scan = scans[cpu], .together = marks[cpu] };
	}
	noise_moments(lines, 3, m);
	for (unsigned cpu = 0; cpu < 3; cpu++)
		free(scans[cpu]);
}

TEST(gaps_at_one_moment)
{
	static const struct gap gaps[3][TIMES] = {
		{ { 200, 100 }, { 500, 50 }, { 1000, 300 } }, /* 100-200, 450-500, 700-1000 */
		{ { 450, 50 }, { 800, 20 }, { 900, 20 } }, /* 400-450 touches only; twice in one */
		{ { 150, 20 }, { 1050, 60 } },             /* 130-150; 990-1050 */
	};
	static const bool expected[3][TIMES] = { { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1 } };
	bool marks[3][TIMES] = { { 0 } };
	struct moments m = { 0 };

	look_at(gaps, marks, &m);
	for (unsigned cpu = 0; cpu < 3; cpu++)
		for (unsigned i = 0; i < 3; i++)
			if (marks[cpu][i] != expected[cpu][i])
				fail_msg("CPU %u, gap %u: expected %d", cpu, i, expected[cpu][i]);
	assert_int_equal(2, m.count);
	assert_int_equal(3, m.most);
	look_at(gaps, marks, &m);
	assert_int_equal(4, m.count);
}

TEST(clock_moves)
{
	assert_false(noise_clock_moved(0, 0, 1.5, 0)); /* nothing before the first slice */
	assert_false(noise_clock_moved(1.5, 0, 1.51, 0));
	assert_true(noise_clock_moved(1.5, 0, 1.52, 0));
	assert_true(noise_clock_moved(1.5, 0, 1.48, 0));
	assert_false(noise_clock_moved(1.5, 0.1, 1.4, 0.05)); /* cycles may have been stolen */
}

TEST(moments)
{
	const double v[] = { 1, 2, 3, 4, 10 };

	/* R: sd(v) = 3.535534; skew = m3 / m2^1.5 = 1.138420 */
	assert_true(fabs(noise_deviation(v, 5, 4) - 3.5355339) < 1e-6);
	assert_true(fabs(noise_skew(v, 5, 4) - 1.1384199) < 1e-6);
	assert_true(noise_deviation(v, 1, 1) == 0);
	const double same[] = { 2, 2, 2 };

	assert_true(noise_skew(same, 3, 2) == 0);
}
