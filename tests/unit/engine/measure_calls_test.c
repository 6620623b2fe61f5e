/* SPDX-License-Identifier: MIT */
/* A row, call by call: what comes before its samples, what a sample is made of, what is proved. */
#include "tests/unit/measured_row.h"

static int sampler(struct bench *bench, struct job *j, struct sample *s)
{
	note('s');
	s->value = next_value();
	fake_time += 100;
	if (script.works == 1) {
		s->control = 3;
		s->core_hz = 4e9;
		s->disturbed = true;
	}
	return 0;
}

static void refresh(struct bench *bench, struct job *j)
{
	note('r');
}

static bool check(struct bench *bench, const struct job *j)
{
	note('k');
	return !script.memory_is_wrong;
}

/* The row's calls after those of the empty loop: warm-up and samples. */
static void expect_calls(const char *expected)
{
	static const char empty[] = "pooo(ooooooooooooooooooooooooooooooo)";
	const char *calls = script.calls;

	if (strncmp(calls, empty, sizeof empty - 1))
		fail_msg("expected first %s, came %s", empty, calls);
	if (strcmp(calls + sizeof empty - 1, expected))
		fail_msg("expected %s, came %s", expected, calls + sizeof empty - 1);
}

BEFORE_EACH(reset);

static const char *moved; /* why; NULL: it was not */

static bool stayed(struct room *r, const char **why)
{
	*why = moved;
	return !moved;
}

TEST(a_row_on_another_cpu_is_none)
{
	room.system.stayed = stayed;
	assert_int_equal(MEASURED_OK, measure(1e12));
	moved = "moved to CPU 7";
	assert_int_equal(MEASURED_SKIPPED, measure(1e12));
	assert_string_equal(moved, job.skip);
	moved = NULL;
}

/* 100 ticks at 2 GHz for 10 operations: 5 ns, 10 ticks, 0.2 of them a nanosecond. */
TEST(a_sample_is_the_work_between_two_clocks)
{
	static const struct {
		const struct unit *unit;
		double value, step;
	} units[] = { { &unit_ns_op, 5, 0.1 }, { &unit_ticks, 10, 0.2 }, { &unit_gbs, 0.2, 0 } };

	for (size_t i = 0; i < 3; i++) {
		reset();
		row.unit = units[i].unit;
		asked.refresh = refresh;
		asked.check = check;
		asked.min_samples = asked.max_samples = 2;
		assert_int_equal(MEASURED_OK, measure(1e12));
		expect_calls("r(cwc)kr(cwc)r(cwc)r(cwc)");
		near(units[i].unit->name, units[i].value, result.median);
		near("step", units[i].step, samples.step);
		near("clock", 2. * 32 * 64 / (2 * CHAIN) * 2e9, result.core_hz);
		near("operations", 20, result.ops);
		near("overhead", OVERHEAD, result.overhead_ticks);
		near("disturbed", 0, result.disturbed);
	}
	row.unit = &unit_gbs;
	VALUES_ARE(1);
	assert_int_equal(MEASURED_OK, measure(1e12));
	near("in half a nanosecond", 20, result.median);
}

TEST(a_sample_may_be_disturbed)
{
	asked.min_samples = asked.max_samples = 9;
	script.switches = 1;
	measure(1e12);
	near("by switches", 9, result.disturbed);
	assert_int_equal(9, result.events.switches);
	assert_int_equal(9 * 7, result.events.mispredicts);
	assert_int_equal(EVENT_SWITCHES | EVENT_MISPREDICTS, result.events.known);
	asked.allowed_events = EVENT_SWITCHES;
	measure(1e12);
	near("by what is allowed", 0, result.disturbed);
	asked.allowed_events = EVENT_SMIS;
	measure(1e12);
	near("by another than is allowed", 9, result.disturbed);
	script.switches = 0;
	script.after = CHAIN * 11 / 10;
	measure(1e12);
	near("by the clock", 9, result.disturbed);
	near("clock of the shorter chain", 32. * 64 / CHAIN * 2e9, result.core_hz);
	script.after = CHAIN * 101 / 100;
	measure(1e12);
	near("by a clock that hardly moved", 0, result.disturbed);
	near("clock of both sides", 2. * 32 * 64 / (CHAIN + script.after) * 2e9, result.core_hz);
}

/* A sampler forgets the state of the call before it. */
TEST(a_sampler_begins_with_nothing)
{
	static const struct event_counts counted = { .known = EVENT_SMIS, .smis = 5 };

	asked.sampler = sampler;
	asked.cold = true;
	asked.min_samples = asked.max_samples = 8;
	script.switches = 1;
	asked.allowed_events = EVENT_SWITCHES;
	assert_int_equal(MEASURED_OK, measure(1e12));
	assert_string_equal("p(s)(s)(s)(s)(s)(s)(s)(s)", script.calls);
	near("disturbed", 1, result.disturbed);
	near("median", 100, result.median);
	assert_true(samples.control[0] == 3 && samples.core_hz[0] == 4e9);
	assert_true(samples.control[1] == 0 && samples.core_hz[1] == 0);
	assert_int_equal(8, result.events.switches);
	asked.counted = &counted;
	measure(1e12);
	near("disturbed by what was counted", 8, result.disturbed);
	assert_int_equal(8 * 5, result.events.smis);
	assert_int_equal(0, result.events.switches);
}

/* Warm is what two calls in a row agree on; late is half of the time. */
static void expect_warm(const char *what, unsigned calls, double budget_ns)
{
	memset(script.calls, 0, sizeof script.calls);
	script.works = 0;
	asked.min_samples = asked.max_samples = 2;
	assert_int_equal(MEASURED_OK, measure(budget_ns));
	if (script.works != calls + 2)
		fail_msg("%s: expected %u calls before the samples, came %u", what, calls,
			script.works - 2);
}

TEST(the_machine_warms_until_two_calls_agree)
{
	expect_warm("all alike", 2, 1e12);
	VALUES_ARE(0);
	expect_warm("0", 1, 1e12);
	VALUES_ARE(100, 200, 400, 800, 816);
	expect_warm("2 % more than the last", 5, 1e12);
	VALUES_ARE(1000, 900, 800, 784);
	expect_warm("2 % less", 4, 1e12);
	VALUES_ARE(1000, 1030, 1000);
	expect_warm("3 % are not steady, nor 2.9", 4, 1e12);
	VALUES_ARE(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384);
	expect_warm("never steady", 13, 1e12);
	VALUES_ARE(100);
	asked.warm_calls = 4;
	expect_warm("four were asked for", 4, 1e12);
	VALUES_ARE(100, 200, 400, 800, 1600, 1600);
	expect_warm("and more were needed", 6, 1e12);
}

/* A call takes 130 ticks, 65 ns; the second ends after 130 + 230. */
TEST(warming_has_half_of_the_time)
{
	VALUES_ARE(100, 200, 400, 800, 1600);
	expect_warm("late after the first", 1, 2 * 64);
	expect_warm("late after the second", 2, 2 * 65);
	expect_warm("late after the second, barely", 2, 2 * 179);
	expect_warm("not late after the second", 3, 2 * 180);
	asked.warm_calls = 3;
	expect_warm("what was asked for has its time", 3, 1);
}

/* The row asks for one sample: only a call after those that warm it up is the sample. */
TEST(the_last_call_may_be_the_sample)
{
	asked.min_samples = asked.max_samples = 1;
	measure(1e12);
	expect_calls("(cwc)(cwc)");
	reset();
	asked.min_samples = asked.max_samples = 1;
	asked.warm_calls = 3;
	measure(1e12);
	expect_calls("(cwc)(cwc)(cwc)(cwc)");
	reset();
	asked.min_samples = asked.max_samples = 1;
	measure(1);
	expect_calls("(cwc)(cwc)");
	assert_int_equal(1, samples.n);
	reset();
	asked.min_samples = asked.max_samples = 1;
	VALUES_ARE(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384);
	measure(1e12);
	assert_int_equal(13, script.works);
	near("never steady", 4096 / 20., result.median);
	reset();
	asked.min_samples = asked.max_samples = 1;
	asked.cold = true;
	measure(1e12);
	expect_calls("(cwc)");
	reset();
	asked.min_samples = asked.max_samples = 2;
	measure(1e12);
	expect_calls("(cwc)(cwc)(cwc)(cwc)");
}

TEST(nothing_is_measured_that_is_not_proved)
{
	asked.check = check;
	script.memory_is_wrong = true;
	expect_not(MEASURED_WRONG, "proof failed: memory is not as plain C says", 1);
	reset();
	script.wrong_at = 1;
	expect_not(MEASURED_WRONG, "proof failed: the loop returned 0x4e, plain C says 0x4d", 1);
	reset();
	script.wrong_at = 5;
	expect_not(MEASURED_WRONG, "proof failed: the loop returned 0x4e, plain C says 0x4d", 5);
	reset();
	script.fails_at = 1;
	expect_not(MEASURED_SKIPPED, "no room", 0);
}

TEST(a_value_that_is_no_number_is_none)
{
	row.unit = &unit_gbs;
	VALUES_ARE(0);
	expect_not(MEASURED_SKIPPED, "a sample took no longer than the empty loop", 14);
	assert_true(job.no_number);
	reset();
	asked.sampler = sampler;
	VALUES_ARE(1, 1, 1, INFINITY);
	expect_not(MEASURED_SKIPPED, "a sample gave no number", 4);
	assert_true(job.no_number);
}

static unsigned resized;

static void resize(struct bench *bench, struct job *j, double ops)
{
	note(ops == 1000 ? 'W' : 'S');
	resized++;
	j->ops = ops;
}

/* 1000 operations in 1 000 000 ticks, 0.5 ms; the quickest call of the warm-up took that. */
TEST(a_sample_is_as_short_as_it_may_be)
{
	VALUES_ARE(3e6, 1e6, 1e6, 8e5);
	asked.ops = 1000;
	asked.resize = resize;
	asked.min_samples = asked.max_samples = 2;
	assert_int_equal(MEASURED_OK, measure(1e12));
	expect_calls("(cwc)(cwc)(cwc)S(cwc)(cwc)");
	near("operations", 1600, result.ops);
	near("by the operations of the sample", 5e5 * 0.8 / 800, result.median);
	reset();
	VALUES_ARE(12e6, 9e6, 6e6, 4e6, 4e5);
	asked.ops = 1000;
	asked.resize = resize;
	asked.leaves_nothing = true;
	asked.min_samples = asked.max_samples = 2;
	measure(1e12);
	expect_calls("(cwc)(cwc)(cwc)(cwc)S(cwc)(cwc)(cwc)(cwc)");
	near("operations", 400, result.ops);
	reset();
	VALUES_ARE(79e4);
	asked.ops = 1000;
	asked.resize = resize;
	asked.min_samples = asked.max_samples = 2;
	measure(1e12);
	expect_calls("(cwc)(cwc)(cwc)(cwc)"); /* short enough as it is */
	reset();
	VALUES_ARE(4e6);
	asked.ops = 1000;
	asked.resize = resize;
	asked.min_samples = asked.max_samples = 2;
	b.tsc_step_ticks = 900; /* a thousand steps are longer than 0.4 ms */
	measure(1e12);
	near("of a coarse counter", 450, result.ops);
}

/* One disturbed sample of two, and one disturbed walk; then the time is over. */
TEST(a_disturbance_is_followed_by_a_walk)
{
	VALUES_ARE(4e6);
	asked.ops = 1000;
	asked.resize = resize;
	asked.warm_calls = 2;
	asked.min_samples = asked.max_samples = 2;
	script.disturbed_at = 3;
	assert_int_equal(MEASURED_OK, measure(1e12));
	expect_calls("(cwc)(cwc)S(cwc)W(cwc)(cwc)S(cwc)");
	near("disturbed", 1, result.disturbed);
	near("operations of the samples", 400, result.ops);
	memset(script.calls, 0, sizeof script.calls);
	script.works = 0;
	asked.flushed = true;
	measure(1e12);
	expect_calls("(cwc)(cwc)S(cwc)(cwc)"); /* nothing was in a cache */
	reset();
	VALUES_ARE(4e6);
	asked.ops = 1000;
	asked.resize = resize;
	asked.min_samples = asked.max_samples = 2;
	script.after = CHAIN * 11 / 10;
	measure(1e12);
	near("disturbed by the clock", 2, result.disturbed);
	expect_calls("(cwc)(cwc)S(cwc)(cwc)"); /* no other program ran */
}

/* If every walk is disturbed, warming up ends and the time is spent on samples. */
TEST(walks_that_are_always_disturbed_end)
{
	VALUES_ARE(4e6);
	asked.ops = 1000;
	asked.resize = resize;
	asked.min_samples = asked.max_samples = 2;
	script.switches = 1;
	measure(1e12);
	expect_calls("(cwc)(cwc)SW(cwc)(cwc)(cwc)S(cwc)(cwc)");
}

/* A warm-up of four calls, of which three take longer than the row may. */
TEST(a_long_warm_up_is_cut_short)
{
	VALUES_ARE(4e6);
	asked.ops = 1000;
	asked.warm_calls = 4;
	cut_ns = 5e6;
	assert_int_equal(MEASURED_SKIPPED, measure(1e12));
	assert_string_equal("cut short at 0.0 s of warming up, of 0.0 s allowed", job.skip);
	expect_calls("(cwc)(cwc)(cwc)");
	assert_true(job.least_ns >= 5e6);
	cut_ns = 1e30;
	assert_int_equal(MEASURED_OK, measure(1e12));
}

/* When a row ends, and what the placements of its memory have of it. */

static void expect_samples(const char *what, unsigned n, double budget_ns)
{
	script.works = 0;
	asked.cold = true;
	assert_int_equal(MEASURED_OK, measure(budget_ns));
	if (samples.n != n)
		fail_msg("%s: expected %u samples, came %u", what, n, samples.n);
}

/* A disturbed row waits for 28 samples, and is asked after 15, 22 and 33. */
TEST(a_row_ends_when_more_would_say_no_more)
{
	expect_samples("all alike", 15, 1e12);
	script.switches = 1;
	expect_samples("all disturbed", 33, 1e12);
	asked.tells_disturbance = true;
	script.switches = 0;
	expect_samples("all alike, and all are taken", 15, 1e12);
	for (unsigned i = 0; i < VALUES; i++)
		script.work[i] = i % 2 ? 100 : 200;
	script.values = VALUES;
	expect_samples("two modes", 256, 1e12);
	asked.max_samples = 20;
	expect_samples("20 at most", 20, 1e12);
	script.stop = true;
	expect_samples("stopped", 7, 1e12);
	asked.min_samples = 9;
	expect_samples("stopped after its least", 9, 1e12);
}

TEST(a_row_ends_when_its_time_is_over)
{
	expect_samples("late at once", 7, 1);
	expect_samples("ten calls of 65 ns", 11, 10 * 65);
	expect_samples("and not quite so long", 10, 10 * 65 - 1);
	asked.min_samples = 3;
	expect_samples("three are its least", 3, 1);
	asked.max_samples = 12;
	expect_samples("late, three are its least", 3, 1);
	expect_samples("twelve are its most", 12, 1e12);
}

/* The sampler asks no other CPU. */
static int no_cpu(struct room *e, unsigned cpu, void (*fn)(void *), void *arg)
{
	return -1;
}

/* Rows of several CPUs scatter by who comes first; a sample of theirs takes 50 ns here. */
TEST(a_row_of_several_cpus_ends_when_its_time_is_over)
{
	row.needs = NEED_CPUS;
	room.facts.cpus = 2;
	room.run_on = no_cpu;
	asked.sampler = sampler;
	for (unsigned i = 0; i < VALUES; i++)
		script.work[i] = i % 2 ? 100 : 200;
	script.values = VALUES;
	expect_samples("no end", 256, 1e12);
	expect_samples("forty samples", 41, 40 * 50);
	expect_samples("late at once", 7, 1);
}

static void in_three_places(void)
{
	room.facts.frames_scattered = true;
	room.facts.pages = PAGE_4K;
	row.page_bytes = PAGE_4K;
	row.cost_ns = 1;
	asked.cold = true;
	asked.min_samples = asked.max_samples = 3;
}

/* One sample each, of 100, 110 and 140 ticks; the preparation of each has the scratch memory. */
TEST(placements_share_a_row)
{
	in_three_places();
	VALUES_ARE(100, 110, 140);
	assert_int_equal(MEASURED_OK, measure(3));
	assert_string_equal(job.skip, "");
	assert_int_equal(3, result.placements);
	near("samples", 3, result.samples);
	near("median of all", 5.5, result.median);
	near("spread", 40 / 110., result.placement_spread);
	near("operations", 30, result.ops);
	assert_int_equal(2, script.uses[0]); /* mapped, and given to the row */
	assert_int_equal(4, script.uses[1]);
	assert_int_equal(6, script.uses[2]);
	assert_int_equal(8, b.arena_uses);
	assert_int_equal(PAGE_4K, result.page_bytes);
	assert_ptr_equal(script.base[2], job.arena.base); /* the last one's job stays */
	asked.ops = 0;
	measure(3);
	near("operations, one each", 3, result.ops);
}

static void expect_one_placement(void)
{
	measure(3);
	assert_int_equal(1, script.prepared);
	near("placements", 0, result.placements);
	assert_int_equal(2, b.arena_uses);
}

TEST(one_placement_is_none)
{
	in_three_places();
	row.cost_ns = 1.01; /* there is no time for three preparations */
	expect_one_placement();
	reset();
	in_three_places();
	room.facts.frames_scattered = false;
	expect_one_placement();
	reset();
	in_three_places();
	row.page_bytes = PAGE_2M;
	expect_one_placement();
}

/* A sixth of the time for each, which is three calls of 65 ns, and one that ends after it. */
TEST(placements_share_the_time)
{
	in_three_places();
	asked.max_samples = 100;
	measure(9 * 65);
	assert_int_equal(4 + 3 + 3, samples.n);
	reset();
	in_three_places();
	asked.min_samples = asked.max_samples = 0;
	measure(1e12);
	assert_int_equal(3 * 5, samples.n); /* enough of each */
	script.switches = 1;
	measure(1e12);
	assert_int_equal(3 * 33, samples.n); /* each asked after 5, 7, 10, 15, 22 and 33 */
	asked.max_samples = 6;
	measure(1e12);
	assert_int_equal(3 * 2, samples.n);
	asked.max_samples = 0;
	row.cost_ns = 0.3;
	measure(1);
	assert_int_equal(3 * 3, samples.n); /* its least, seven, of which each has a share */
}

/* One with several placements has other words for it: the spread between them. */
TEST(a_row_with_two_modes_is_unsteady)
{
	for (unsigned i = 0; i < VALUES; i++)
		script.work[i] = i % 2 ? 100 : 200;
	script.values = VALUES;
	asked.min_samples = asked.max_samples = 40;
	measure(1e12);
	assert_non_null(result.unsteady);
	assert_string_equal("two-modes", result.unsteady);
	in_three_places();
	asked.min_samples = asked.max_samples = 0;
	measure(1e12);
	assert_int_equal(3, result.placements);
	assert_null(result.unsteady);
}

TEST(other_placements_begin_in_the_first_half)
{
	uint64_t base, bytes, most = 0;

	in_three_places();
	for (unsigned i = 0; i < 100; i++) {
		measure(3);
		base = (uint64_t)b.arena.base;
		bytes = b.arena.bytes;
		assert_true(script.base[0] == base && script.bytes[0] == bytes);
		for (unsigned at = 1; at < 3; at++) {
			assert_true(script.base[at] - base < bytes / 2);
			assert_int_equal(0, (script.base[at] - base) % PAGE_4K);
			assert_int_equal(base + bytes, script.base[at] + script.bytes[at]);
			if (script.base[at] - base > most)
				most = script.base[at] - base;
		}
	}
	assert_true(most > bytes / 4);
	b.arena.bytes = PAGE_4K; /* that has no half */
	measure(3);
	assert_true(script.base[2] == base && script.bytes[2] == PAGE_4K);
}

#define GROWTH_TICKS 1000000 /* far more than any row here has */

static int map_gib(struct room *e, size_t page_bytes, struct arena *out)
{
	*out = (struct arena){
		.base = (unsigned char *)GIB, .bytes = GIB, .page_bytes = page_bytes
	};
	return 0;
}

static int make_ready(struct room *e, size_t bytes, struct arena *out)
{
	fake_time += GROWTH_TICKS;
	return 0;
}

static void in_a_growing_arena(uint64_t wants)
{
	reset();
	room.arena = map_gib;
	room.arena_ready = make_ready;
	room.facts.pages = PAGE_4K;
	row.page_bytes = PAGE_4K;
	script.wants = wants;
}

/* The time of that is not the row's, and its scratch memory does not pile up. */
TEST(a_row_that_needs_more_of_the_arena_is_prepared_again)
{
	in_a_growing_arena(0);
	expect_samples("ten calls of 65 ns", 11, 10 * 65);
	size_t used = b.work.used;

	assert_int_equal(ARENA_PART, script.bytes[0]);
	in_a_growing_arena(200 * MIB + 1);
	expect_samples("ten calls of 65 ns", 11, 10 * 65);
	assert_int_equal(2, script.prepared);
	assert_int_equal(ARENA_PART, script.bytes[0]);
	assert_int_equal(200 * MIB + PAGE_4K, script.bytes[1]);
	assert_int_equal(used, b.work.used);
	assert_int_equal(2 * GROWTH_TICKS, b.arena_ticks);
}

TEST(a_row_that_needs_more_than_the_arena_is_skipped)
{
	in_a_growing_arena(GIB + 1);
	assert_int_equal(MEASURED_SKIPPED, measure(1e12));
	assert_string_equal("needs 1025 MiB, the arena has 1024", job.skip);
	assert_int_equal(1, script.prepared);
}

/* Other frames lie as far on as the row has memory, so that little more is made ready. */
TEST(other_placements_are_near_where_the_arena_grows)
{
	for (unsigned i = 0; i < 100; i++) {
		in_a_growing_arena(i % 2 ? 200 * MIB : 0);
		room.facts.frames_scattered = true;
		row.cost_ns = 1;
		assert_int_equal(MEASURED_OK, measure(3));
		size_t bytes = i % 2 ? 200 * MIB : ARENA_PART;

		for (unsigned at = 0; at < 3; at++) {
			if (script.base[at] - GIB >= bytes || script.bytes[at] < script.wants)
				fail_msg("%zu MiB: a placement at %llu with %llu bytes",
					bytes >> 20, (unsigned long long)(script.base[at] - GIB),
					(unsigned long long)script.bytes[at]);
		}
		assert_in_range(b.arena_there, bytes, 2 * bytes);
	}
}

TEST(a_placement_may_fail)
{
	in_three_places();
	script.fails_at = 3;
	VALUES_ARE(100, 110, 140);
	assert_int_equal(MEASURED_OK, measure(3));
	assert_int_equal(2, result.placements);
	near("samples", 2, result.samples);
	near("spread", 10 / 105., result.placement_spread);
	reset();
	in_three_places();
	row.unit = &unit_gbs;
	asked.min_samples = asked.max_samples = 6;
	VALUES_ARE(100, 100, 100, 0);
	assert_int_equal(MEASURED_OK, measure(3));
	near("nothing of it is kept", 2, result.samples);
	near("nor of its operations", 20, result.ops);
	assert_false(job.no_number);
	reset();
	in_three_places();
	script.wrong_at = 2;
	expect_not(MEASURED_WRONG, "proof failed: the loop returned 0x4e, plain C says 0x4d", 2);
}
