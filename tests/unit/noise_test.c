/* SPDX-License-Identifier: MIT */
/* The gap scan's sums hang together, the longest gaps are the longest, the moments are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <cmocka.h>

#include "probes/kern.h"
#include "probes/noise.h"
#include "probes/random.h"

#define EVENTS 64

static struct gap_scan *scan_of(uint64_t capacity, uint64_t ticks, uint64_t threshold)
{
	struct gap_scan *scan = calloc(1, sizeof *scan + (EVENTS + 1) * sizeof(struct gap));

	scan->capacity = capacity;
	scan->events[capacity].length = 0xdead;
	struct timed t = kern_gaps((uint64_t)(uintptr_t)scan, ticks, threshold, 0, 0, 0);

	assert_int_equal(t.value, scan->count);
	assert_true(t.ticks >= scan->observed);
	return scan;
}

/* Every read is a gap when the threshold is 0: all sums can be checked against each other. */
static void sums_hang_together(void **state)
{
	struct gap_scan *scan = scan_of(EVENTS, 100000, 0);
	uint64_t by_length = 0;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		by_length += scan->log2[i];
	assert_int_equal(scan->count, scan->reads);
	assert_int_equal(scan->count, by_length);
	assert_true(scan->observed >= 100000);
	assert_true(scan->total + scan->blind == scan->observed);
	assert_int_equal(EVENTS, scan->recorded);
	for (unsigned i = 1; i < EVENTS; i++) {
		assert_true(scan->events[i].at > scan->events[i - 1].at);
		assert_true(scan->events[i].length <= scan->longest);
	}
	free(scan);
}

static void capacity_is_kept(void **state)
{
	struct gap_scan *scan = scan_of(3, 50000, 0);

	(void)state;
	assert_int_equal(3, scan->recorded);
	assert_int_equal(0xdead, scan->events[3].length);
	assert_true(scan->count > 3);
	free(scan);
}

static void nothing_above_a_huge_threshold(void **state)
{
	struct gap_scan *scan = scan_of(EVENTS, 50000, INT64_MAX);

	(void)state;
	assert_int_equal(0, scan->count);
	assert_int_equal(0, scan->recorded);
	assert_int_equal(0, scan->blind);
	assert_true(scan->smallest > 0 && scan->smallest < 50000);
	free(scan);
}

static void no_time_no_reads(void **state)
{
	struct gap_scan *scan = scan_of(EVENTS, 0, 0);

	(void)state;
	assert_int_equal(0, scan->reads);
	assert_int_equal(0, scan->observed);
	free(scan);
}

static void longest_are_kept(void **state)
{
	struct kept kept[10];
	struct longest longest = { kept, 0, 10 };
	struct random r;

	(void)state;
	random_seed(&r, 9);
	for (unsigned i = 0; i < 1000; i++) {
		/* 7 and 1000 have no common divisor: every length 0..999 once, in a mixed order */
		struct kept gap = { .at_ns = i, .length_ns = (double)(i * 7 % 1000) };

		longest_add(&longest, &gap);
	}
	assert_int_equal(10, longest.n);
	double sum = 0;

	for (unsigned i = 0; i < 10; i++) {
		assert_true(kept[i].length_ns >= 990);
		sum += kept[i].length_ns;
	}
	assert_true(sum == 990 + 991 + 992 + 993 + 994 + 995 + 996 + 997 + 998 + 999);
}

static void moments(void **state)
{
	const double v[] = { 1, 2, 3, 4, 10 };

	(void)state;
	/* R: sd(v) = 3.535534; skew = m3 / m2^1.5 = 1.138420 */
	assert_true(fabs(noise_deviation(v, 5, 4) - 3.5355339) < 1e-6);
	assert_true(fabs(noise_skew(v, 5, 4) - 1.1384199) < 1e-6);
	assert_true(noise_deviation(v, 1, 1) == 0);
	const double same[] = { 2, 2, 2 };

	assert_true(noise_skew(same, 3, 2) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_hang_together),
		cmocka_unit_test(capacity_is_kept),
		cmocka_unit_test(nothing_above_a_huge_threshold),
		cmocka_unit_test(no_time_no_reads),
		cmocka_unit_test(longest_are_kept),
		cmocka_unit_test(moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
