/* SPDX-License-Identifier: MIT */
/*
 * The probe `noise` on three processors whose gaps are made up: what takes all away at once is one
 * cause, what takes one away is its own, and a clock that moved is told.
 */
#include "engine/emit.h"
#include "lib/jsonl_write.h"
#include "probes/noise/noise_scan.h"
#include "tests/unit/lines_of_rows.h"
#include "tests/unit/threads_room.h"

#define SLICES 4 /* of the scan of all, in one second */

static unsigned slices_of[CPUS];

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
	q->known = here == 2 ? EVENT_CORE_CYCLES : EVENT_SMIS;
	q->smis = here == 0;
	q->core_cycles = slices_of[2] > 2 ? 500000000 : 1000000000;
}

BEFORE_EACH(reset)
{
	prepare_run("noise", call);
	memset(slices_of, 0, sizeof slices_of);
	of_row(NULL, 0);
	room.facts.cpus = CPUS;
	room.now = slow_now;
	room.timed_end = timed_end;
	room.run_on = run_on;
	room.run_wait = run_wait;
	options.noise_seconds = 1;
}

static void run_of_cpu(double cpu)
{
	if (!fake_used)
		assert_int_equal(0, bench_run(&room, &options));
	of_row("cpu", cpu);
}

/* Returns how many events of that row have exactly these causes and this length. */
static unsigned events(const char *variant, uint64_t length_ns, uint32_t causes)
{
	json_t *row = line_of("row", variant);
	const json_t *event;
	unsigned n = 0;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(row, "more"), "events"), i, event)
		n += json_integer_value(json_array_get(event, 1)) == (json_int_t)length_ns &&
			json_integer_value(json_array_get(event, 2)) == (json_int_t)causes;
	json_decref(row);
	return n;
}

/* A change of the clock is a cause as well. */
TEST(one_cause_for_all)
{
	static const uint32_t causes[CPUS] = { NOISE_TOGETHER | EVENT_SMIS, NOISE_TOGETHER,
		NOISE_TOGETHER };

	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		run_of_cpu(cpu);
		expect("gaps-all", "samples", SLICES);
		expect("gaps-all", "gaps_together", SLICES);
		expect("gaps-all", "gaps", cpu == 1 ? 2 * SLICES : SLICES);
		assert_int_equal(cpu == 2 ? SLICES - 1 : SLICES,
			events("gaps-all", 20000 + cpu, causes[cpu]));
		assert_int_equal(cpu == 1 ? SLICES : 0, events("gaps-all", 300000, 0));
	}
	assert_int_equal(1, events("gaps-all", 20002, NOISE_TOGETHER | EVENT_CORE_CYCLES));
}

/* Moments are told in ns since the first stamp of all, and that stamp is told. */
TEST(moments_are_common)
{
	const json_t *event;
	size_t i;

	run_of_cpu(1);
	json_t *row = line_of("row", "gaps-all");

	json_array_foreach(json_object_get(json_object_get(row, "more"), "events"), i, event) {
		json_int_t at = json_integer_value(json_array_get(event, 0)) % 1000000000;

		assert_true(at == 5020000 || at == 7300000);
	}
	json_decref(row);
	assert_true(number("gaps-all", "started_ticks") == 1000000000);
}

/* Each slice of 250 ms gives one sample, and each CPU has values of its own. */
TEST(one_value_a_slice)
{
	static const struct {
		const char *variant;
		double medians[CPUS];
	} rows[] = { { "gaps-all", { 4, 8, 4 } }, { "stolen-all", { 80, 1280.004, 80.008 } },
		{ "longest-all", { 20000, 300000, 20002 } } };

	for (unsigned i = 0; i < 3; i++)
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			run_of_cpu(cpu);
			double median = number(rows[i].variant, "median");

			if (!(fabs(median - rows[i].medians[cpu]) <= 2e-5 * median))
				fail_msg("%s of CPU %u: expected %g, came %g", rows[i].variant, cpu,
					rows[i].medians[cpu], median);
			expect(rows[i].variant, "samples", SLICES);
		}
}

TEST(each_alone_in_full)
{
	options.profile = PROFILE_FULL;
	run_of_cpu(1);
	expect("gaps-alone", "gaps", 20); /* two in each of 10 slices */
	assert_int_equal(10, events("gaps-alone", 300000, 0));
	run_of_cpu(2);
	expect("gaps-alone", "gaps", 10);
}

TEST(a_single_processor_is_no_crowd)
{
	room.facts.cpus = 1;
	room.run_on = NULL;
	run_of_cpu(0);
	expect_skip("gaps-all", "no second processor");
	of_row(NULL, 0);
	number("gaps", "gaps");
}

static bool after_three_slices(struct room *e)
{
	return slices_of[0] >= 3;
}

/* Who interrupts a scan need not wait for its end; what was seen until then stands. */
TEST(an_interrupt_ends_the_scan)
{
	room.stop = after_three_slices;
	assert_int_equal(bench_run(&room, &options), 0);
	expect("gaps", "samples", 3);
	expect("gaps", "gaps", 3);
	assert_non_null(strstr(fake_out, "\"status\":\"interrupted\""));
}

static int nobody(struct room *e, unsigned cpu, void (*fn)(void *), void *arg)
{
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

static struct bench b;
static struct gap_monitor m;
static struct job job;
static struct sample sample;
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
	room.call = call_monitor;
	static const struct options all; /* TEXT_ALL */

	b = (struct bench){ .room = &room, .opt = &all };
	b.work.base = room.work;
	b.work.bytes = room.work_bytes;
	job = (struct job){ .priv = &m };
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
	assert_int_equal(0, gap_monitor_sample(&b, &job, &sample));
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

/* The limits are for all CPUs together; each CPU's share has a minimum and a maximum. */
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
	assert_int_equal(0, gap_monitor_sample(&b, &job, &sample));
	next = &second;
	assert_int_equal(0, gap_monitor_sample(&b, &job, &sample));
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
	expect_broken("m->done < m->slices", gap_monitor_sample(&b, &job, &sample));
}

/* Gaps as long as all the time that was looked at are possible; longer ones are not. */
TEST(a_slice_of_parts_has_their_mean)
{
	static const struct gap_scan each = { .count = 1, .total = 9, .reads = 9, .observed = 90 };

	assert_int_equal(0, prepare(150));
	m.parts = 3;
	next = &each;
	assert_int_equal(0, gap_monitor_sample(&b, &job, &sample));
	assert_true(m.cpus[0].gaps == 3 && fabs(m.cpus[0].stolen[0] - 1e5) < 1e-6);
	assert_true(fabs(m.cpus[0].rate[0] * 90 / 2e9 - 1) < 1e-6);
}

static uint64_t therm_status;

static int read_therm_status(struct room *e, uint32_t msr, uint64_t *value)
{
	*value = therm_status;
	return msr == 0x1b1 ? 0 : -1;
}

static uint32_t thermal_leaf;

static struct cpuid cpuid_thermal(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	return (struct cpuid){ .eax = leaf == 6 ? thermal_leaf : 6 };
}

/* Heat and PROCHOT# now; not that there was some once, nor where CPUID has no such register. */
TEST(heat_is_a_cause)
{
	static const struct gap event = { 1000, 200 };
	static const struct gap_scan one = { .recorded = 1,
		.count = 1,
		.total = 200,
		.longest = 200,
		.reads = 9,
		.observed = 2000 };
	static const struct {
		uint32_t leaf;
		uint64_t status;
		uint32_t cause;
	} cases[] = { { 0x40, 1, NOISE_THROTTLED }, { 0x40, 4, NOISE_THROTTLED }, { 0x40, 10, 0 },
		{ 0, 5, 0 } };

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin();
		room.read_msr = read_therm_status;
		room.cpuid = cpuid_thermal;
		thermal_leaf = cases[i].leaf;
		therm_status = cases[i].status;
		assert_int_equal(0, prepare(1));
		gaps = &event;
		next = &one;
		assert_int_equal(0, gap_monitor_sample(&b, &job, &sample));
		assert_int_equal(1, m.cpus[0].longest.n);
		if (m.cpus[0].longest.gaps[0].cause != cases[i].cause)
			fail_msg("case %u: expected cause %u, came %u", i, cases[i].cause,
				m.cpus[0].longest.gaps[0].cause);
	}
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
	assert_int_equal(0, gap_monitor_sample(&b, &job, &sample));
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
	assert_int_equal(0, gap_monitor_sample(&b, &job, &sample));
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
		assert_int_equal(i ? -1 : 0, gap_monitor_sample(&b, &job, &sample));
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
	begins++;
}

TEST(counts_begin_with_the_scan)
{
	room.system.count_begin = count_begin;
	begins = 0;
	assert_int_equal(0, prepare(1));
	assert_int_equal(1, begins);
	assert_false(m.counted);
}
