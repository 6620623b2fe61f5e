/* SPDX-License-Identifier: MIT */
/* A gap scan of one processor, slice by slice: how long each is, and what is added up of it. */
#include <math.h>
#include <stdio.h>

#include "probes/noise/noise_scan.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

#define SMALLEST 30 /* ticks of the loop's own step, of a TSC of 2 GHz */

static struct room room;
static struct bench b;
static struct job job;
static struct gap_monitor m;
static struct {
	uint64_t duration, threshold; /* of the last scan */
	unsigned scans;
} asked;
static const struct gap_scan *next; /* what the next scan finds, but for its events */
static const struct gap *gaps;

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct gap_scan *s = (struct gap_scan *)(uintptr_t)a[0];
	uint64_t capacity = s->capacity;

	(void)e;
	(void)loop;
	asked.duration = a[1];
	asked.threshold = a[2];
	asked.scans++;
	s->smallest = SMALLEST;
	if (next) {
		*s = *next;
		s->capacity = capacity;
		for (uint64_t i = 0; i < s->recorded; i++)
			s->events[i] = gaps[i];
	}
	return (struct timed){ 0 };
}

BEFORE_EACH(begin)
{
	fake_reset(&room);
	room.facts.tsc_hz = 2e9;
	room.call = call;
	b = (struct bench){ .room = &room };
	b.work.base = room.work;
	b.work.bytes = room.work_bytes;
	memset(&job, 0, sizeof job);
	memset(&asked, 0, sizeof asked);
	next = NULL;
}

static int prepare(double seconds)
{
	m = (struct gap_monitor){ .n = 1, .seconds = seconds };
	return gap_monitor_prepare(&b, &job, &m);
}

/* A tenth of a second at least, all alike, and all together the seconds that were asked for. */
TEST(slices_fill_the_time)
{
	static const struct {
		double seconds;
		unsigned slices;
	} all[] = { { 0.05, 1 }, { 0.19, 1 }, { 0.2, 2 }, { 0.25, 2 }, { 1, 10 }, { 102.45, 1024 },
		{ 1000, 1024 } };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		begin();
		assert_int_equal(0, prepare(all[i].seconds));
		if (m.slices != all[i].slices ||
			fabs(m.slice_ns * m.slices - all[i].seconds * 1e9) > 1)
			fail_msg("%g s: expected %u slices, came %u of %g ns", all[i].seconds,
				all[i].slices, m.slices, m.slice_ns);
	}
}

/* A gap is 100 ns longer than the loop's own step, which a millisecond without gaps tells. */
TEST(the_threshold_is_found_first)
{
	static const struct gap_scan quiet = { .reads = 10, .observed = 100, .smallest = SMALLEST };

	assert_int_equal(0, prepare(1));
	assert_int_equal(1, asked.scans);
	assert_int_equal(2000000, asked.duration);
	assert_true(asked.threshold > INT64_MAX / 2);
	assert_true(m.cpus[0].threshold_ticks == SMALLEST + 200);
	assert_true(m.cpus[0].smallest_ticks == SMALLEST);
	next = &quiet;
	assert_int_equal(0, gap_monitor_slice(&b, &job, &m));
	assert_int_equal(2, asked.scans);
	assert_int_equal(200000000, asked.duration);
	assert_int_equal(SMALLEST + 200, asked.threshold);
}

/* Of all processors together; each has a least number, and a most. */
TEST(as_many_gaps_as_there_is_memory_for)
{
	static const struct {
		unsigned cpus, events, kept;
	} all[] = { { 1, 4096, 4096 }, { 4, 4096, 4096 }, { 5, 4096, 3276 }, { 17, 3855, 963 },
		{ 256, 256, 64 }, { 512, 256, 32 }, { 513, 256, 32 } };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		begin();
		room.facts.cpus = all[i].cpus;
		assert_int_equal(0, prepare(1));
		assert_int_equal(all[i].events, m.cpus[0].scan->capacity);
		assert_int_equal(all[i].kept, m.cpus[0].longest.capacity);
	}
}

TEST(what_slices_found_is_added_up)
{
	/* ends and lengths in ticks: 0.1, 0.1005, 1.001, 20, 150.5 us */
	static const struct gap events[] = { { 1000, 200 }, { 2000, 201 }, { 9000, 2002 },
		{ 90000, 40000 }, { 900000, 301000 } };
	static const struct gap_scan first = { .recorded = 5,
		.count = 7,
		.total = 400000,
		.longest = 301000,
		.smallest = 28,
		.reads = 1000,
		.blind = 50,
		.observed = 2000000,
		.started = 5000,
		.log2 = { [7] = 2, [63] = 1 } };
	static const struct gap_scan second = { .count = 1,
		.total = 1000,
		.longest = 1000,
		.smallest = 29,
		.reads = 1,
		.blind = 20,
		.observed = 1000,
		.started = 900,
		.log2 = { [7] = 1 } };
	static const uint64_t above[] = { 4, 3, 2, 1, 1 };

	assert_int_equal(0, prepare(0.2));
	gaps = events;
	next = &first;
	assert_int_equal(0, gap_monitor_slice(&b, &job, &m));
	next = &second;
	assert_int_equal(0, gap_monitor_slice(&b, &job, &m));
	const struct cpu_gaps *g = &m.cpus[0];

	assert_int_equal(2, m.done);
	assert_int_equal(5000, m.started); /* of the first slice */
	assert_int_equal(8, g->gaps);
	assert_int_equal(3, g->unrecorded);
	assert_int_equal(0, g->together);
	assert_true(g->gap_ticks == 401000);
	assert_true(g->observed_ticks == 2001000);
	assert_true(g->blind_ticks == 70);
	assert_true(g->smallest_ticks == 28);
	assert_int_equal(3, g->log2[7]);
	assert_int_equal(1, g->log2[63]);
	assert_true(fabs(g->rate[0] - 7000) < 1e-6 && fabs(g->rate[1] - 2e6) < 1e-6);
	assert_true(fabs(g->stolen[0] - 200000) < 1e-6 && fabs(g->stolen[1] - 1e6) < 1e-6);
	assert_true(g->longest_ns[0] == 150500 && g->longest_ns[1] == 500);
	assert_true(cpu_gaps_longest_ns(g) == 150500);
	assert_int_equal(5, g->longest.n);
	assert_true(g->longest.gaps[0].length_ns == 100 && g->longest.gaps[0].at_ns == 500);
	for (unsigned i = 0; i < NOISE_THRESHOLDS; i++)
		if (g->above[i] != above[i])
			fail_msg("above %g us: expected %u gaps, came %u", noise_thresholds_us[i],
				(unsigned)above[i], (unsigned)g->above[i]);
	assert_int_equal(-1, gap_monitor_slice(&b, &job, &m));
	assert_string_equal("internal error: more slices than planned", job.skip);
}

/* Gaps as long as all the time that was looked at are possible; longer ones are not. */
TEST(a_scan_that_cannot_be)
{
	static const struct gap_scan all[] = { { .reads = 1, .total = 500, .observed = 500 },
		{ .reads = 1, .total = 501, .observed = 500 }, { .total = 0, .observed = 500 } };

	for (unsigned i = 0; i < 3; i++) {
		begin();
		assert_int_equal(0, prepare(1));
		next = &all[i];
		assert_int_equal(i ? -1 : 0, gap_monitor_slice(&b, &job, &m));
		assert_int_equal(i > 0, job.disproved);
	}
	assert_non_null(strstr(job.skip, "CPU 0: the TSC went backwards or the scan did not run"));
}

TEST(no_memory_for_a_scan)
{
	b.work.bytes = 100 * KIB;
	assert_int_equal(-1, prepare(1));
	assert_string_equal("no memory for the gaps of 1 CPU(s)", job.skip);
	assert_int_equal(0, asked.scans);
}

static unsigned begins;

static void count_begin(struct room *e)
{
	(void)e;
	begins++;
}

TEST(counts_begin_with_the_scan)
{
	room.count_begin = count_begin;
	begins = 0;
	assert_int_equal(0, prepare(1));
	assert_int_equal(1, begins);
	assert_false(m.counted);
}
