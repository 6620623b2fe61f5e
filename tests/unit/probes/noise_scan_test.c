/* SPDX-License-Identifier: MIT */
/*
 * The probe `noise` on three processors whose gaps are made up: what takes all away at once is one
 * cause, what takes one away is its own, and a clock that moved is told.
 */
#include <math.h>
#include <pthread.h>
#include <x86intrin.h>
#include <jansson.h>

#include "probes/noise/noise_scan.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

#define CPUS   3
#define SLICES 4 /* of the scan of all, in one second */

static struct room room;
static struct options options;
static unsigned slices_of[CPUS];
static __thread unsigned here;

struct errand {
	pthread_t thread;
	unsigned cpu;
	void (*fn)(void *);
	void *arg;
};

static struct errand errands[CPUS];

static void *errand_main(void *arg)
{
	struct errand *e = arg;

	here = e->cpu;
	e->fn(e->arg);
	return NULL;
}

static int run_on(struct room *e, unsigned cpu, void (*fn)(void *), void *arg)
{
	(void)e;
	errands[cpu] = (struct errand){ .cpu = cpu, .fn = fn, .arg = arg };
	return pthread_create(&errands[cpu].thread, NULL, errand_main, &errands[cpu]);
}

static int run_wait(struct room *e, unsigned cpu)
{
	(void)e;
	return pthread_join(errands[cpu].thread, NULL);
}

/* Slower than any machine is busy: no patience ends here. */
static uint64_t slow_now(struct room *e)
{
	(void)e;
	return __rdtsc() / 40;
}

static void add_gap(struct gap_scan *s, uint64_t end, uint64_t length)
{
	s->events[s->recorded++] = (struct gap){ end, length };
	s->count++;
	s->total += length;
	s->longest = length > s->longest ? length : s->longest;
}

/*
 * A TSC of 1 GHz, common to all; each begins its slice a little later than the one before. An SMI
 * takes all for 20 us, 5 ms after CPU 0 began; CPU 1 alone loses 300 us at 7 ms.
 */
static void scan(struct gap_scan *s, uint64_t duration, uint64_t threshold)
{
	uint64_t late = here * 1000;

	s->started = 1000000000ull * (slices_of[here] + 1) + late;
	s->reads = 1000;
	s->smallest = 7;
	s->observed = duration;
	if (threshold > INT64_MAX / 2) { /* the search for the threshold begins a scan */
		slices_of[here] = 0;
		return;
	}
	slices_of[here]++;
	add_gap(s, 5020000 - late, 20000 + here);
	if (here == 1)
		add_gap(s, 7300000 - late, 300000);
}

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	if (loop != loop_gaps)
		return fake_call(e, loop, a);
	scan((struct gap_scan *)(uintptr_t)a[0], a[1], a[2]);
	return (struct timed){ 0, a[1] };
}

/* CPU 2 runs at half its clock from its third slice on. */
static void timed_end(struct room *e, struct event_counts *q)
{
	(void)e;
	q->known = here == 2 ? EVENT_CORE_CYCLES : EVENT_SMIS;
	q->smis = here == 0;
	q->core_cycles = slices_of[2] > 2 ? 500000000 : 1000000000;
}

BEFORE_EACH(reset)
{
	fake_reset(&room);
	memset(slices_of, 0, sizeof slices_of);
	room.facts.cpus = CPUS;
	room.call = call;
	room.now = slow_now;
	room.timed_end = timed_end;
	room.run_on = run_on;
	room.run_wait = run_wait;
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1, .noise_seconds = 1 };
	strcpy(options.probes, "noise");
}

/* A copy of the line of that variant about that CPU (-1: any); the caller gives it back. */
static json_t *line_of(const char *kind, const char *variant, int cpu)
{
	for (char *at = fake_out, *end; (end = strchr(at, '\n')); at = end + 1) {
		json_t *o = json_loadb(at, (size_t)(end - at), 0, NULL);
		const char *k = json_string_value(json_object_get(o, "kind"));
		const char *v = json_string_value(json_object_get(o, "variant"));
		json_t *c = json_object_get(json_object_get(o, "params"), "cpu");

		if (!strcmp(k, kind) && v && !strcmp(v, variant) &&
			(cpu < 0 || (c && json_integer_value(c) == cpu)))
			return o;
		json_decref(o);
	}
	fail_msg("no %s line of %s, CPU %d in:\n%s", kind, variant, cpu, fake_out);
	return NULL;
}

static double more_of(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(json_object_get(row, "more"), key));
}

/* How many events of the row have all of these causes and this length. */
static unsigned events(const json_t *row, uint64_t length_ns, uint32_t causes)
{
	const json_t *list = json_object_get(json_object_get(row, "more"), "events"), *event;
	unsigned n = 0;
	size_t i;

	json_array_foreach(list, i, event)
		n += json_integer_value(json_array_get(event, 1)) == (json_int_t)length_ns &&
			json_integer_value(json_array_get(event, 2)) == (json_int_t)causes;
	return n;
}

TEST(one_cause_for_all)
{
	static const uint32_t causes[CPUS] = { NOISE_TOGETHER | EVENT_SMIS, NOISE_TOGETHER,
		NOISE_TOGETHER };

	assert_int_equal(bench_run(&room, &options), 0);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		json_t *row = line_of("row", "gaps-all", cpu);

		assert_int_equal(json_integer_value(json_object_get(row, "samples")), SLICES);
		assert_int_equal(more_of(row, "gaps_together"), SLICES);
		assert_int_equal(more_of(row, "gaps"), cpu == 1 ? 2 * SLICES : SLICES);
		assert_int_equal(events(row, 20000 + (unsigned)cpu, causes[cpu]),
			cpu == 2 ? SLICES - 1 : SLICES);
		assert_int_equal(events(row, 300000, 0), cpu == 1 ? SLICES : 0);
		json_decref(row);
	}
}

TEST(a_clock_that_moved_is_a_cause)
{
	assert_int_equal(bench_run(&room, &options), 0);
	json_t *row = line_of("row", "gaps-all", 2);

	assert_int_equal(events(row, 20002, NOISE_TOGETHER | EVENT_CORE_CYCLES), 1);
	json_decref(row);
}

/* Moments are told in ns since the first stamp of all, and that stamp is told. */
TEST(moments_are_common)
{
	assert_int_equal(bench_run(&room, &options), 0);
	json_t *row = line_of("row", "gaps-all", 1);
	const json_t *list = json_object_get(json_object_get(row, "more"), "events"), *event;
	size_t i;

	json_array_foreach(list, i, event) {
		json_int_t at = json_integer_value(json_array_get(event, 0)) % 1000000000;

		assert_true(at == 5020000 || at == 7300000);
	}
	assert_int_equal(more_of(row, "started_ticks"), 1000000000);
	json_decref(row);
}

/* A value a slice in all rows of that variant; one of these for each CPU. */
static void expect_medians(const char *variant, const double medians[CPUS], double tolerance)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		json_t *row = line_of("row", variant, cpu);
		double median = json_number_value(json_object_get(row, "median"));

		if (fabs(median - medians[cpu]) > tolerance)
			fail_msg("%s of CPU %d: expected %g, came %g", variant, cpu, medians[cpu],
				median);
		assert_int_equal(json_integer_value(json_object_get(row, "samples")), SLICES);
		json_decref(row);
	}
}

/* Of slices of 250 ms, and each CPU's values are its own. */
TEST(one_value_a_slice)
{
	assert_int_equal(bench_run(&room, &options), 0);
	expect_medians("gaps-all", (double[]){ 4, 8, 4 }, 1e-9);
	expect_medians("stolen-all", (double[]){ 80, 1280.004, 80.008 }, 0.01);
	expect_medians("longest-all", (double[]){ 20000, 300000, 20002 }, 0.5);
}

TEST(each_alone_in_full)
{
	options.profile = PROFILE_FULL;
	assert_int_equal(bench_run(&room, &options), 0);
	json_t *row = line_of("row", "gaps-alone", 1);

	assert_int_equal(more_of(row, "gaps"), 20); /* two in each of 10 slices */
	assert_int_equal(events(row, 300000, 0), 10);
	json_decref(row);
	json_decref(line_of("row", "gaps-alone", 2));
}

TEST(a_single_processor_is_no_crowd)
{
	room.facts.cpus = 1;
	room.run_on = NULL;
	assert_int_equal(bench_run(&room, &options), 0);
	json_t *skip = line_of("skip", "gaps-all", 0);

	assert_string_equal(json_string_value(json_object_get(skip, "reason")),
		"no second processor");
	json_decref(skip);
	json_decref(line_of("row", "gaps", -1));
}

static bool after_three_slices(struct room *e)
{
	(void)e;
	return slices_of[0] >= 3;
}

/* Who interrupts a scan need not wait for its end; what was seen until then stands. */
TEST(an_interrupt_ends_the_scan)
{
	room.stop = after_three_slices;
	assert_int_equal(bench_run(&room, &options), 0);
	json_t *row = line_of("row", "gaps", -1);

	assert_int_equal(json_integer_value(json_object_get(row, "samples")), 3);
	assert_int_equal(more_of(row, "gaps"), 3);
	assert_non_null(strstr(fake_out, "\"status\":\"interrupted\""));
	json_decref(row);
}

static int nobody(struct room *e, unsigned cpu, void (*fn)(void *), void *arg)
{
	(void)e;
	(void)cpu;
	(void)fn;
	(void)arg;
	return -1;
}

/* 512 processors, each alone and all at once, in the work memory of a small machine. */
TEST(memory_for_512_processors)
{
	struct bench b = { .room = &room, .work = { room.work, 20 * MIB, 0 } };
	struct job job;

	room.facts.cpus = 512;
	room.run_on = nobody;
	for (unsigned i = 0; i < 512; i++) {
		struct gap_monitor one = { .n = 1, .seconds = 1 };
		size_t used = b.work.used;

		assert_int_equal(gap_monitor_prepare(&b, &job, &one), 0);
		b.work.used = used;
	}
	struct gap_monitor all = { .n = 512, .seconds = 60 };

	assert_int_equal(gap_monitor_prepare(&b, &job, &all), -1);
	assert_string_equal(job.skip, "CPU 1 did not answer");
}
