/* SPDX-License-Identifier: MIT */
/*
 * The probe `noise` on three processors whose gaps are made up: what takes all away at once is one
 * cause, what takes one away is its own, and a clock that moved is told.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <x86intrin.h>
#include <jansson.h>

#include "engine/emit.h"
#include "lib/jsonl_write.h"
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

/* A gap scan of one processor, slice by slice: how long each is, and what is added up of it. */

#define SMALLEST 30 /* ticks of the loop's own step, of a TSC of 2 GHz */

static struct room room_monitor;
static struct bench b;
static struct job job;
static struct gap_monitor m;
static struct {
	uint64_t duration, threshold; /* of the last scan */
	unsigned scans;
} asked;
static const struct gap_scan *next; /* what the next scan finds, but for its events */
static const struct gap *gaps;

static struct timed call_monitor(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
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
	fake_reset(&room_monitor);
	room_monitor.facts.tsc_hz = 2e9;
	room_monitor.call = call_monitor;
	b = (struct bench){ .room = &room_monitor };
	b.work.base = room_monitor.work;
	b.work.bytes = room_monitor.work_bytes;
	memset(&job, 0, sizeof job);
	memset(&asked, 0, sizeof asked);
	next = NULL;
}

static int prepare(double seconds)
{
	m = (struct gap_monitor){ .n = 1, .seconds = seconds };
	return gap_monitor_prepare(&b, &job, &m);
}

/*
 * A tenth of a second at least, all alike, and all together the seconds that were asked for. Of
 * slices longer than a second each second is a scan of its own.
 */
TEST(slices_fill_the_time)
{
	static const struct {
		double seconds;
		unsigned slices, parts;
	} all[] = { { 0.05, 1, 1 }, { 0.19, 1, 1 }, { 0.2, 2, 1 }, { 0.25, 2, 1 }, { 1, 10, 1 },
		{ 102.45, 1024, 1 }, { 1000, 1024, 1 }, { 1500, 1024, 2 }, { 43200, 1024, 43 } };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		begin();
		assert_int_equal(0, prepare(all[i].seconds));
		if (m.slices != all[i].slices || m.parts != all[i].parts ||
			fabs(m.part_ns * m.parts * m.slices - all[i].seconds * 1e9) > 1)
			fail_msg("%g s: expected %u slices of %u parts, came %u of %u of %g ns",
				all[i].seconds, all[i].slices, all[i].parts, m.slices, m.parts,
				m.part_ns);
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

/* Stamps may be some steps early or late: what differs by eight steps is no gap. */
TEST(the_threshold_knows_the_step_of_the_tsc)
{
	b.tsc_step_ticks = 300;
	assert_int_equal(0, prepare(1));
	assert_true(m.cpus[0].threshold_ticks == SMALLEST + 2400);
	b.tsc_step_ticks = 24;
	assert_int_equal(0, prepare(1));
	assert_true(m.cpus[0].threshold_ticks == SMALLEST + 200);
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
		room_monitor.facts.cpus = all[i].cpus;
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
TEST(a_slice_of_parts_has_their_mean)
{
	static const struct gap_scan each = { .count = 1, .total = 9, .reads = 9, .observed = 90 };

	assert_int_equal(0, prepare(150));
	m.parts = 3;
	next = &each;
	assert_int_equal(0, gap_monitor_slice(&b, &job, &m));
	assert_true(m.cpus[0].gaps == 3 && fabs(m.cpus[0].stolen[0] - 1e5) < 1e-6);
	assert_true(fabs(m.cpus[0].rate[0] * 90 / 2e9 - 1) < 1e-6);
}

/* Parts of 30 s: the first minute of a slice of 90 s is over, the second one is not. */
TEST(each_minute_has_a_row)
{
	static const struct gap_scan each = {
		.count = 3, .total = 90, .longest = 40, .reads = 9, .observed = 2000000
	};
	static struct emit emit;

	assert_int_equal(0, prepare(150));
	m.parts = 3;
	m.part_ns = 30e9;
	b.emit = &emit;
	b.probe = &probes[probe_count - 1];
	next = &each;
	assert_int_equal(0, gap_monitor_slice(&b, &job, &m));
	const char *row = strstr(fake_out, "\"variant\":\"minute\"");

	if (!row || strstr(row + 1, "\"variant\"") ||
		!strstr(row, "\"params\":{\"minute\":1,\"cpus\":1}") ||
		!strstr(row, "\"median\":3000,") ||
		!strstr(row, "\"more\":{\"gaps\":6,\"longest_ns\":20,\"stolen_ppm\":45}"))
		fail_msg("expected one row of 6 gaps in 2 ms, came: %s", fake_out);
}

static bool stop_at_once(struct room *e)
{
	return e != NULL;
}

/* Means are over the parts that a slice has. */
TEST(a_slice_may_be_stopped)
{
	static const struct gap_scan each = { .count = 1, .total = 9, .reads = 9, .observed = 90 };

	assert_int_equal(0, prepare(150));
	m.parts = 3;
	b.room->stop = stop_at_once;
	next = &each;
	assert_int_equal(0, gap_monitor_slice(&b, &job, &m));
	assert_int_equal(1, m.done);
	assert_true(m.cpus[0].gaps == 1 && fabs(m.cpus[0].stolen[0] - 1e5) < 1e-6);
	assert_true(fabs(m.cpus[0].rate[0] * 90 / 2e9 - 1) < 1e-6);
}

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
	room_monitor.system.count_begin = count_begin;
	begins = 0;
	assert_int_equal(0, prepare(1));
	assert_int_equal(1, begins);
	assert_false(m.counted);
}

/* What a gap scan adds to a row, member by member; and how the system is asked for counts. */

static struct room room_line;
static struct options options_line;
static struct bench b_line;
static json_t *line;

/* A TSC of 2 GHz: a tick is half a nanosecond. */
BEFORE_EACH(begin_line)
{
	fake_reset(&room_line);
	room_line.facts.tsc_hz = 2e9;
	b_line = (struct bench){ .room = &room_line, .opt = &options_line };
	b_line.work.base = room_line.work;
	b_line.work.bytes = room_line.work_bytes;
}

AFTER_EACH(end)
{
	json_decref(line);
	line = NULL;
}

static void put(const struct cpu_gaps *g)
{
	static char text[16384];
	struct jsonl l;

	jsonl_begin(&l, text, sizeof text - 1);
	cpu_gaps_put(&b_line, g, &l);
	size_t n = jsonl_end(&l);

	assert_true(n > 0);
	json_decref(line);
	line = json_loadb(text, n, 0, NULL);
	assert_non_null(line);
}

static void expect(const char *key, double is)
{
	const json_t *value = json_object_get(line, key);

	if (!json_is_number(value) || !(fabs(json_number_value(value) - is) <= 1e-6 * fabs(is)))
		fail_msg("%s: expected %g, came %s%g", key, is, value ? "" : "nothing, ",
			json_number_value(value));
}

/* The list of that name, on one line. */
static void expect_list(const char *key, const char *is)
{
	char *came = json_dumps(json_object_get(line, key), JSON_COMPACT);

	if (!came || strcmp(came, is) != 0)
		fail_msg("%s: expected %s, came %s", key, is, came ? came : "nothing");
	free(came);
}

/* Three gaps of two slices, kept shortest first. */
static struct kept kept[] = { { 1500, 250, 0 }, { 9000, 900, 4 }, { 300, 700, 256 } };
static double longest_ns[] = { 900, 700, 5000 };
static struct gap_monitor one = { .n = 1, .slices = 3, .done = 2, .started = 777 };

static struct cpu_gaps scanned(struct gap_monitor *monitor)
{
	return (struct cpu_gaps){
		.monitor = monitor,
		.longest_ns = longest_ns,
		.threshold_ticks = 240,
		.smallest_ticks = 40,
		.gap_ticks = 3700,
		.observed_ticks = 4e9,
		.blind_ticks = 60,
		.gaps = 5,
		.unrecorded = 2,
		.together = 1,
		.longest = { kept, 3, 3 },
		.log2 = { [0] = 1, [9] = 3, [63] = 2 },
	};
}

TEST(each_member_has_its_value)
{
	struct cpu_gaps g = scanned(&one);

	put(&g);
	expect("observed_seconds", 2);
	expect("started_ticks", 777);
	expect("resolution_ns", 20);
	expect("threshold_ns", 120);
	expect("gaps", 5);
	expect("gaps_unrecorded", 2);
	expect("stolen_ns", 1850);
	expect("blind_ns", 30);
	expect("longest_ns", 900); /* of the slices that were made */
	expect("p999_ns", 900);
	expect_list("events", "[[1500,250,0],[9000,900,4],[300,700,256]]");
	assert_int_equal(64, json_array_size(json_object_get(line, "log2_ticks")));
	assert_int_equal(1,
		json_integer_value(json_array_get(json_object_get(line, "log2_ticks"), 0)));
	assert_int_equal(3,
		json_integer_value(json_array_get(json_object_get(line, "log2_ticks"), 9)));
	assert_int_equal(2,
		json_integer_value(json_array_get(json_object_get(line, "log2_ticks"), 63)));
	assert_null(json_object_get(line, "gaps_together"));
	assert_null(json_object_get(line, "moved"));
	assert_null(json_object_get(line, "rt_stops"));
}

TEST(several_processors_have_gaps_together)
{
	struct gap_monitor two = one;
	struct cpu_gaps g = scanned(&two);

	two.n = 2;
	put(&g);
	expect("gaps_together", 1);
}

/* One gap in a thousand is longer than it; it must be among those kept. */
TEST(a_percentile_of_those_kept)
{
	static const struct {
		uint64_t gaps;
		double ns;
	} of[] = { { 0, NAN }, { 1, 900 }, { 999, 900 }, { 1000, 700 }, { 1999, 700 },
		{ 2000, 250 }, { 2999, 250 }, { 3000, NAN } };
	struct cpu_gaps g = scanned(&one);

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		g.gaps = of[i].gaps;
		put(&g);
		const json_t *came = json_object_get(line, "p999_ns");

		if (isnan(of[i].ns) ? !json_is_null(came) : json_number_value(came) != of[i].ns)
			fail_msg("of %llu gaps: expected %g, came %g",
				(unsigned long long)of[i].gaps, of[i].ns, json_number_value(came));
	}
}

TEST(no_memory_for_a_percentile)
{
	struct cpu_gaps g = scanned(&one);

	b_line.work.bytes = 3 * sizeof(double) - 1;
	put(&g);
	assert_true(json_is_null(json_object_get(line, "p999_ns")));
	b_line.work.bytes++;
	put(&g);
	expect("p999_ns", 900);
}

TEST(what_grew_is_listed)
{
	struct system_count counts[] = { { "interrupts", "LOC", "Local timer interrupts", 12 },
		{ "seconds", "steal", "", 0.25 }, { "softirqs", "NET_RX", "", 1 } };
	struct cpu_gaps g = scanned(&one);

	g.counts = counts;
	put(&g);
	expect_list("moved", "[]");
	g.ncounts = 2;
	put(&g);
	expect_list("moved",
		"[{\"kind\":\"interrupts\",\"name\":\"LOC\",\"words\":\"Local timer interrupts\","
		"\"count\":12},{\"kind\":\"seconds\",\"name\":\"steal\",\"count\":0.25}]");
}

/* Gaps of 50 ms, a second apart, of the thread that measures: other CPUs run ordinary threads. */
TEST(stops_of_a_real_time_thread)
{
	struct kept stops[] = { { 1e9, 50e6, 0 }, { 2e9, 50e6, 0 }, { 3e9, 50e6, 0 } };
	struct cpu_gaps g = scanned(&one);

	g.longest = (struct longest){ stops, 3, 3 };
	put(&g);
	assert_null(json_object_get(line, "rt_stops")); /* the room has no such rule */
	room_line.facts.rt_pause_ns = 50e6;
	room_line.facts.rt_period_ns = 1e9;
	put(&g);
	expect("rt_stops", 3);
	g.longest.n = 2;
	put(&g);
	expect("rt_stops", 2);
	room_line.facts.rt_period_ns = 0.7e9;
	put(&g);
	assert_null(json_object_get(line, "rt_stops"));
	room_line.facts.rt_period_ns = 1e9;
	g.cpu = 1;
	put(&g);
	assert_null(json_object_get(line, "rt_stops"));
}

static struct {
	unsigned ends, most, asked;
} counting;

static void count_end(struct room *e)
{
	(void)e;
	counting.ends++;
}

static unsigned counts_of(struct room *e, unsigned cpu, struct system_count *out, unsigned most)
{
	(void)e;
	counting.most = most;
	counting.asked++;
	for (unsigned i = 0; i < most; i++)
		out[i].count = cpu;
	return cpu + 1;
}

/* More kinds are kept of a processor alone than of each of several, and of each of many. */
TEST(as_many_counts_as_are_kept)
{
	static const struct {
		unsigned cpus, most;
	} scans[] = { { 1, 32 }, { 2, 16 }, { 64, 16 }, { 65, 6 } };
	static struct cpu_gaps cpus[65];

	room_line.system.counts_of = counts_of;
	for (unsigned i = 0; i < sizeof scans / sizeof *scans; i++) {
		struct gap_monitor m = { .n = scans[i].cpus, .cpus = cpus };

		memset(&counting, 0, sizeof counting);
		for (unsigned k = 0; k < m.n; k++)
			cpus[k] = (struct cpu_gaps){ .cpu = k + 3 };
		room_line.system.count_end = NULL;
		gap_monitor_count(&b_line, &m); /* a room without a system */
		assert_int_equal(0, counting.asked);
		room_line.system.count_end = count_end;
		gap_monitor_count(&b_line, &m);
		gap_monitor_count(&b_line, &m); /* its other rows: once is enough */
		assert_int_equal(1, counting.ends);
		assert_int_equal(scans[i].cpus, counting.asked);
		assert_int_equal(scans[i].most, counting.most);
		for (unsigned k = 0; k < m.n; k++) {
			assert_int_equal(k + 4, cpus[k].ncounts);
			assert_true(cpus[k].counts[0].count == k + 3);
		}
	}
}

/* Without memory there are no counts, and nobody is asked to write any. */
TEST(no_memory_for_counts)
{
	struct cpu_gaps g = { .cpu = 0 };
	struct gap_monitor m = { .n = 1, .cpus = &g };

	memset(&counting, 0, sizeof counting);
	room_line.system.counts_of = counts_of;
	room_line.system.count_end = count_end;
	b_line.work.bytes = 32 * sizeof(struct system_count) - 64;
	gap_monitor_count(&b_line, &m);
	assert_null(g.counts);
	assert_int_equal(0, g.ncounts);
	assert_int_equal(0, counting.asked);
	b_line.work.bytes = (32 * sizeof(struct system_count) + 63) / 64 * 64;
	m.counted = false;
	gap_monitor_count(&b_line, &m);
	assert_non_null(g.counts);
	assert_int_equal(1, counting.asked);
}
