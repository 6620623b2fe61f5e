/* SPDX-License-Identifier: MIT */
/* The loop of `noise`, run on this processor: what a scan finds adds up. */
#include <x86intrin.h>

#include "engine/room.h"
#include "probes/loops/loops.h"
#include "probes/noise/noise.h"
#include "tests/unit/test.h"

#define EVENTS   16
#define DURATION 2000000 /* ticks */
#define SLACK    1000000 /* ticks: readings of the TSC without fences may pass one another */

/* A scan of this many ticks; the caller gives it back. The loop returns how many gaps there are. */
static struct gap_scan *scanned(uint64_t duration, uint64_t threshold)
{
	struct gap_scan *s = calloc(1, sizeof *s + (EVENTS + 1) * sizeof *s->events);
	uint64_t before = __rdtsc();

	s->capacity = EVENTS;
	s->events[EVENTS].length = 0xdead;
	struct timed t = loop_gaps((uintptr_t)s, duration, threshold, 7, 7, 7);

	assert_int_equal(t.value, s->count);
	assert_int_equal(0xdead, s->events[EVENTS].length);
	if (s->started + SLACK < before || s->started > __rdtsc() + SLACK)
		fail_msg("began at %#llx: expected %#llx or a little later",
			(unsigned long long)s->started, (unsigned long long)before);
	return s;
}

/* Nothing is as long as this threshold: reads are counted, and the quickest two are told. */
TEST(a_scan_without_gaps)
{
	struct gap_scan *s = scanned(DURATION, UINT64_MAX);

	assert_int_equal(s->count | s->total | s->longest | s->recorded | s->blind, 0);
	assert_true(s->observed >= DURATION);
	assert_true(s->reads > 1 && s->reads <= s->observed);
	assert_true(s->smallest > 0 && s->smallest <= s->observed / s->reads);
	free(s);
}

/* With a threshold of nothing each pair of reads is a gap, but for the first after a note. */
TEST(each_read_is_a_gap)
{
	struct gap_scan *s = scanned(DURATION, 0);
	uint64_t by_bits = 0, at = 0;

	assert_true(s->count > EVENTS);
	assert_int_equal(s->count, s->reads);
	assert_int_equal(s->recorded, EVENTS);
	assert_int_equal(s->observed, s->total + s->blind);
	assert_true(s->blind > 0);
	for (unsigned i = 0; i < 64; i++) {
		by_bits += s->log2[i];
		if (s->log2[i] && s->longest >> i == 0)
			fail_msg("gaps of 2^%u ticks, but the longest has %llu", i,
				(unsigned long long)s->longest);
	}
	assert_int_equal(by_bits, s->count);
	assert_int_not_equal(s->log2[63 - __builtin_clzll(s->longest)], 0);
	for (unsigned i = 0; i < EVENTS; i++) {
		const struct gap *gap = &s->events[i];

		assert_true(gap->length > 0 && gap->length <= s->longest);
		assert_true(gap->at >= at + gap->length && gap->at <= s->observed);
		at = gap->at;
	}
	free(s);
}

/* After the gap that is to be its last it ends at once; another call goes on from there. */
TEST(so_many_gaps_and_no_more)
{
	struct gap_scan *s = calloc(1, sizeof *s + EVENTS * sizeof *s->events);

	s->capacity = EVENTS;
	for (unsigned n = 1; n <= 3; n++) {
		s->most = n;
		assert_int_equal(n, loop_gaps((uintptr_t)s, DURATION, 0, 0, 0, 0).value);
		assert_int_equal(n, s->count);
		assert_int_equal(n, s->recorded);
		assert_int_equal(1, s->reads);
		assert_int_equal(s->observed, s->events[n - 1].at + s->blind);
		assert_true(s->events[n - 1].at >= s->events[n - 1].length && s->blind > 0);
	}
	s->most = 3; /* passed: it has no end but the time */
	assert_true(loop_gaps((uintptr_t)s, DURATION, 0, 0, 0, 0).value > EVENTS);
	free(s);
}

TEST(a_scan_of_no_time_reads_once)
{
	struct gap_scan *s = scanned(0, 0);

	assert_int_equal(s->reads | s->count | s->observed, 0);
	assert_true(s->smallest == UINT64_MAX);
	free(s);
}
