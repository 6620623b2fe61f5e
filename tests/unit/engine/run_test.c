/* SPDX-License-Identifier: MIT */
/* The engine in a room where time is made up: arithmetic, proofs, budgets, complete results. */
#include <jansson.h>

#include "lib/crc32.h"
#include "probes/noise/noise.h"
#include "tests/unit/fake_room.h"

static struct room room;
static struct options options;

/* A scan of the time stamps is as long as it was asked for, and has no gap. */
static struct timed quick_scan(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct gap_scan *s = (struct gap_scan *)(uintptr_t)a[0];

	if (loop != loop_gaps)
		return fake_call(e, loop, a);
	s->started = fake_time;
	s->reads = 1000;
	s->smallest = 7;
	s->observed = a[1];
	fake_time += FAKE_CALL * fake_slowness;
	return (struct timed){ 0, FAKE_CALL };
}

BEFORE_EACH(reset)
{
	fake_reset(&room);
	room.call = quick_scan;
	fake_arena_bytes = 512 * KIB;
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1 };
	strcpy(options.probes, "clock,latency");
}

/* Calls see(object) for each line, checks each line's CRC on the way; returns the lines. */
static unsigned each_line(void (*see)(const json_t *, void *), void *arg)
{
	unsigned lines = 0;

	for (char *at = fake_out, *end; (end = strchr(at, '\n')); at = end + 1) {
		json_error_t error;
		json_t *o = json_loadb(at, (size_t)(end - at), 0, &error);
		char crc[9];

		if (!o)
			fail_msg("line %u is not JSON: %s", lines, error.text);
		snprintf(crc, sizeof crc, "%08x",
			crc32_of(0, at, (size_t)(end - at) - strlen(",\"crc\":\"01234567\"}")));
		assert_string_equal(crc, json_string_value(json_object_get(o, "crc")));
		assert_int_equal(lines, json_integer_value(json_object_get(o, "seq")));
		see(o, arg);
		json_decref(o);
		lines++;
	}
	return lines;
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static double number_of(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

/* That a row has each number that it always has: of fewer than 100 samples no p99. */
static void expect_all_numbers(const json_t *o)
{
	enum { ALWAYS = true, IF_KNOWN = false };

#define STATISTIC(name, when)                                                                      \
	if (when && !json_is_number(json_object_get(o, #name)) && strcmp(#name, "p99"))            \
		fail_msg("%s: expected a number as " #name                                         \
			 ", none is measured (engine/measure.c)",                                  \
			text_of(o, "variant"));
#include "lib/row_statistics.inc"
#undef STATISTIC
}

struct seen_run {
	unsigned rows, skips, runs, ends, proof_skips, budget_skips, padded;
	char status[16], crc_all[9];
	double seconds, output_seconds, at; /* at: of the last row */
};

static void look(const json_t *o, void *arg)
{
	struct seen_run *seen = arg;
	const char *kind = text_of(o, "kind");

	seen->runs += !strcmp(kind, "run");
	seen->rows += !strcmp(kind, "row");
	seen->skips += !strcmp(kind, "skip");
	seen->proof_skips += strstr(text_of(o, "reason"), "proof failed") != NULL;
	seen->budget_skips += strstr(text_of(o, "reason"), "does not fit") != NULL;
	if (!strcmp(kind, "row")) {
		expect_all_numbers(o);
		assert_true(number_of(o, "at_seconds") >= seen->at);
		seen->at = number_of(o, "at_seconds");
	}
	if (!strcmp(kind, "row") && !strcmp(text_of(o, "variant"), "pointer-padded")) {
		seen->padded++;
		if (fabs(number_of(o, "median") - 4.0) > 1e-6)
			fail_msg(
				"a load takes 4 ticks at 1 GHz = 4 ns; the row of %g bytes says %g",
				number_of(json_object_get(o, "params"), "bytes"),
				number_of(o, "median"));
		assert_true(fabs(number_of(o, "cycles") - 4.0) < 1e-3);
		assert_true(number_of(o, "overhead_ticks") == FAKE_CALL);
		assert_int_equal(json_array_size(json_object_get(o, "values")),
			(size_t)number_of(o, "samples"));
	}
	if (!strcmp(kind, "end")) {
		seen->ends++;
		seen->seconds = number_of(o, "seconds");
		seen->output_seconds = number_of(o, "output_seconds");
		snprintf(seen->status, sizeof seen->status, "%s", text_of(o, "status"));
		snprintf(seen->crc_all, sizeof seen->crc_all, "%s", text_of(o, "crc_all"));
		assert_int_equal(seen->rows, (unsigned)number_of(o, "rows"));
		assert_int_equal(seen->skips, (unsigned)number_of(o, "skips"));
	}
}

static struct seen_run run_and_look(void)
{
	struct seen_run seen = { 0 };

	bench_run(&room, &options);
	each_line(look, &seen);
	return seen;
}

TEST(known_latency_comes_out)
{
	struct seen_run seen = { 0 };

	assert_int_equal(0, bench_run(&room, &options));
	each_line(look, &seen);
	assert_int_equal(1, seen.runs);
	assert_int_equal(1, seen.ends);
	assert_string_equal("complete", seen.status);
	assert_true(seen.padded >= 10);
	assert_true(seen.at > 0 && seen.at <= seen.seconds);
}

struct found_edge {
	double low, high, value;
	unsigned rows, again;
};

static void look_for_edge(const json_t *o, void *arg)
{
	struct found_edge *edge = arg;

	if (!strcmp(text_of(o, "variant"), "pointer-padded"))
		*(json_object_get(json_object_get(o, "params"), "again") ? &edge->again
									 : &edge->rows) += 1;
	if (strcmp(text_of(o, "name"), "l1d_bytes") != 0)
		return;
	edge->low = number_of(o, "low");
	edge->high = number_of(o, "high");
	edge->value = number_of(o, "value");
}

/*
 * By the sizes of the sweep 32..64 KiB; bisected to 3 %, by rows that come once each; those on both
 * sides of the edge come once more, where the time is enough.
 */
TEST(edges_are_bisected_when_asked_for)
{
	struct found_edge grid = { 0 }, bisected = { 0 };

	room.progress = fake_cache;
	strcpy(options.probes, "latency:pointer-padded");
	bench_run(&room, &options);
	each_line(look_for_edge, &grid);
	assert_true(grid.value == 32 * KIB && grid.high == 64 * KIB);
	reset();
	room.progress = fake_cache;
	strcpy(options.probes, "latency:pointer-padded");
	options.edges = EDGES_BISECT;
	bench_run(&room, &options);
	each_line(look_for_edge, &bisected);
	assert_true(bisected.value == 48 * KIB && bisected.high == 49 * KIB);
	assert_in_range(bisected.rows, grid.rows + 4, grid.rows + 6);
	assert_int_equal(grid.again, 0);
	assert_in_range(bisected.again, 1, 2);
}

TEST(crc_all_covers_what_stands_before_end)
{
	const struct seen_run seen = run_and_look();
	char crc[9];
	char *end = strstr(fake_out, "{\"kind\":\"end\"");

	snprintf(crc, sizeof crc, "%08x", crc32_of(0, fake_out, (size_t)(end - fake_out)));
	assert_string_equal(crc, seen.crc_all);
}

TEST(wrong_kernel_is_not_timed)
{
	struct seen_run seen = { 0 };

	fake_wrong = true;
	assert_int_equal(1, bench_run(&room, &options));
	each_line(look, &seen);
	assert_int_equal(0, seen.padded);
	assert_true(seen.proof_skips > 5);
}

TEST(same_seed_same_result)
{
	bench_run(&room, &options);
	uint32_t first = crc32_of(0, fake_out, fake_used);

	fake_reset(&room);
	bench_run(&room, &options);
	assert_int_equal(first, crc32_of(0, fake_out, fake_used));
}

/* A machine a thousand times slower: rows are left out by name and the promise is kept. */
TEST(slow_machine_keeps_the_promise)
{
	const struct seen_run fast = run_and_look();

	fake_reset(&room);
	fake_slowness = 1000;
	const struct seen_run slow = run_and_look();

	assert_true(slow.budget_skips > fast.budget_skips);
	assert_true(slow.rows > 0);
	assert_string_equal("complete", slow.status);
	if (slow.seconds > profile_seconds(&options))
		fail_msg("smoke promises %g s, the slow machine took %g", profile_seconds(&options),
			slow.seconds);
}

/* A scan that is longer than the profile takes nothing from the other rows. */
TEST(a_long_scan_is_beside_the_profile)
{
	strcpy(options.probes, "clock,window,noise");
	const struct seen_run without = run_and_look();

	fake_reset(&room);
	options.noise_seconds = 12;
	const struct seen_run with = run_and_look();

	assert_int_equal(without.rows, with.rows);
	assert_int_equal(without.budget_skips, with.budget_skips);
}

/* A serial line, a stick or a screen as slow as they come: each output takes a second. */
static unsigned outputs;

static void slow_write(struct room *e, const char *line, size_t n)
{
	fake_write(e, line, n);
	fake_time += (uint64_t)1e9;
	outputs += !strstr(line, "\"kind\":\"end\"");
}

static void slow_say(struct room *e, const char *text, size_t n)
{
	fake_time += (uint64_t)1e9;
	outputs++;
}

static void slow_progress(struct room *e, const char *text, size_t n, double part)
{
	assert_true(n <= 79 && part >= 0 && part <= 1);
	slow_say(e, text, n);
}

/* The rows of a fast room, though it takes 8 s more at least. */
static struct seen_run expect_no_row_less(const struct seen_run *fast, struct seen_run slow)
{
	assert_int_equal(fast->rows, slow.rows);
	assert_int_equal(fast->budget_skips, slow.budget_skips);
	assert_true(slow.seconds > fast->seconds + 8);
	return slow;
}

TEST(slow_output_costs_no_row)
{
	const struct seen_run fast = run_and_look();

	fake_reset(&room);
	outputs = 0;
	room.write = slow_write;
	room.say = slow_say;
	room.progress = slow_progress;
	const struct seen_run slow = expect_no_row_less(&fast, run_and_look());

	assert_true(slow.seconds > slow.rows);
	/* the end line says so of all that was given out before it */
	assert_int_equal(outputs, (unsigned)slow.output_seconds);
	assert_true(slow.output_seconds < slow.seconds);
	assert_true(slow.seconds - slow.output_seconds <= profile_seconds(&options));
}

/* A system that zeroes what it gives. */
static int slow_arena(struct room *e, size_t page_bytes, struct arena *out)
{
	fake_time += (uint64_t)8e9;
	return fake_arena(e, page_bytes, out);
}

TEST(slow_memory_costs_no_row)
{
	const struct seen_run fast = run_and_look();

	fake_reset(&room);
	room.arena = slow_arena;
	expect_no_row_less(&fast, run_and_look());
}

static bool stop_now(struct room *e)
{
	return fake_used > 5000;
}

TEST(interrupted_run_says_so)
{
	room.stop = stop_now;
	const struct seen_run seen = run_and_look();

	assert_string_equal("interrupted", seen.status);
	assert_int_equal(1, seen.ends);
}

/* The room leaves the work of this call, and from then on the run is to end; 1: the calibration. */
static unsigned works, abandoned_at;

static bool stop_then(struct room *e)
{
	return works >= abandoned_at;
}

static int abandonable(struct room *e, void (*fn)(void *), void *arg)
{
	if (++works >= abandoned_at)
		return -1;
	fn(arg);
	return 0;
}

static struct seen_run abandon_at(unsigned work)
{
	fake_reset(&room);
	room.stop = stop_then;
	room.abandonable = abandonable;
	works = 0;
	abandoned_at = work;
	return run_and_look();
}

/* What was measured before has its line and its values; what was left has no line at all. */
TEST(work_that_is_abandoned_has_no_line)
{
	for (unsigned rows = 0; rows < 40; rows += 13) {
		const struct seen_run seen = abandon_at(2 + rows);

		assert_string_equal("interrupted", seen.status);
		assert_int_equal(1, seen.ends);
		if (seen.rows + seen.skips != rows)
			fail_msg("expected %u lines of rows, came %u", rows,
				seen.rows + seen.skips);
		assert_non_null(strstr(fake_out, "\"kind\":\"summary\""));
		assert_int_equal(2 + rows, works); /* nothing was begun after it */
	}
}

/* Nothing is planned by what a calibration has not measured. */
TEST(a_calibration_may_be_abandoned)
{
	const struct seen_run seen = abandon_at(1);

	assert_string_equal("interrupted", seen.status);
	assert_int_equal(1, seen.runs);
	assert_int_equal(0, seen.rows + seen.skips);
	assert_int_equal(1, works);
}

static jmp_buf fault;

static void fault_write(struct room *e, const char *line, size_t n)
{
	fake_write(e, line, n);
	if (fake_used > 5000 && strncmp(line, "{\"kind\":\"end\"", 13))
		longjmp(fault, 1);
}

TEST(faulted_run_still_ends)
{
	struct seen_run seen = { 0 };

	room.write = fault_write;
	if (!setjmp(fault))
		bench_run(&room, &options);
	else
		bench_faulted(&room, "provoked");
	each_line(look, &seen);
	assert_string_equal("faulted", seen.status);
	size_t used = fake_used;

	bench_faulted(&room, "again");
	assert_int_equal(used, fake_used);
}

/* Reads that take no longer than the empty loop: no rate was measured, neither 0 nor infinity. */
TEST(a_rate_of_nothing_is_no_row)
{
	unsigned reads = 0, skips = 0;

	strcpy(options.probes, "bandwidth:read");
	bench_run(&room, &options);
	for (char *at = fake_out, *end; (end = strchr(at, '\n')); at = end + 1) {
		*end = 0;
		reads += strstr(at, "\"kind\":\"row\"") && strstr(at, "\"bandwidth\"");
		skips += strstr(at, "a sample took no longer than the empty loop") != NULL;
		if (strstr(at, "read_bytes_per_cycle_l1") &&
			!strstr(at, "measured, but gave no number"))
			fail_msg("expected the reason of the value: %s", at);
	}
	assert_int_equal(0, reads);
	assert_true(skips > 0);
}

/* Frames from anywhere: a row with pages of 4 KiB is measured at three places of the arena. */
static void see_placements(const json_t *o, void *arg)
{
	unsigned *placed = arg;

	if (strcmp(text_of(o, "kind"), "row") || strcmp(text_of(o, "probe"), "latency"))
		return;
	bool small = number_of(json_object_get(o, "params"), "page_bytes") == PAGE_4K;
	double n = number_of(o, "placements");

	placed[n == 3] += small;
	if (!small)
		assert_true(n == 0);
	assert_true(fabs(number_of(o, "median") - 4.0) < 1e-6);
	assert_int_equal(json_array_size(json_object_get(o, "values")),
		(size_t)number_of(o, "samples"));
}

TEST(scattered_frames_are_drawn_three_times)
{
	unsigned scattered[2] = { 0 }, in_order[2] = { 0 };

	strcpy(options.probes, "latency:pointer-padded");
	options.page = PAGE_4K;
	bench_run(&room, &options);
	each_line(see_placements, in_order);
	fake_reset(&room);
	room.facts.frames_scattered = true;
	bench_run(&room, &options);
	each_line(see_placements, scattered);
	assert_int_equal(0, in_order[1]);
	assert_true(in_order[0] >= 8);
	assert_true(scattered[1] >= 8);
}

/* A run that measured nothing is not complete: it says so, with a reason. */
static void expect_end(const char *probes, const char *status, const char *why)
{
	char want[160];

	room.kind = ROOM_BARE;
	snprintf(options.probes, sizeof options.probes, "%s", probes);
	bench_run(&room, &options);
	snprintf(want, sizeof want, "\"status\":\"%s\"%s%s", status, why ? ",\"why\":" : "",
		why ? why : "");
	if (!strstr(fake_out, want))
		fail_msg("the end line lacks %s", want);
	assert_int_equal(why != NULL, !!strstr(fake_said, "NOTHING was measured"));
}

TEST(rows_skipped)
{
	expect_end("clock:os-clock", "empty",
		"\"no row was measured; the first skip: only under Linux\"");
}

TEST(no_row_planned)
{
	expect_end("remedies", "empty", "\"no row was planned\""); /* not in profile smoke */
}

TEST(a_row_measured)
{
	expect_end("clock:rdtsc", "complete", NULL);
}

TEST(a_row_measured_however_slow)
{
	fake_slowness = 1000000;
	expect_end("clock:rdtsc,clock:core-clock", "complete", NULL);
}

/* engine/run.c: the row, the time left and the part done that are said during a run. */

#define SMOKE_SECONDS 10

static struct {
	unsigned lines, timed; /* all, and those that say a time */
	double left, part;     /* of the line before */
	double all_s;          /* the most time that a run may take */
	char last[128];        /* line */
} heard;

/*
 * "row N, at most S s left to measure: probe variant": N rises by one, S never, and no less time
 * is left than by `part`, which is rounded up.
 */
static void hear_time(struct room *room, const char *line, size_t n, double part)
{
	double left = 0;
	unsigned at;

	snprintf(heard.last, sizeof heard.last, "%.*s", (int)n, line);
	int read = sscanf(heard.last, "row %u, at most %lf s left to measure: ", &at, &left);

	if (read < 1 || at != heard.lines + 1 || part < heard.part)
		fail_msg("'%s', part %g: after row %u, part %g", heard.last, part, heard.lines,
			heard.part);
	heard.lines++;
	heard.part = part;
	if (read < 2)
		return;
	double by_part = heard.all_s * (1 - part);

	if (left > heard.left || left < by_part - 1e-6 || left > by_part + 1)
		fail_msg("'%s', %g s by part %g: after %g s left", heard.last, by_part, part,
			heard.left);
	heard.timed++;
	heard.left = left;
}

static void hear_run(double all_s)
{
	memset(&heard, 0, sizeof heard);
	heard.left = heard.all_s = all_s;
	room.progress = hear_time;
	assert_int_equal(0, bench_run(&room, &options));
	assert_true(heard.lines > 10);
}

TEST(time_runs_out)
{
	options.probes[0] = 0; /* all */
	fake_slowness = 20;
	hear_run(SMOKE_SECONDS);
	assert_int_equal(heard.lines, heard.timed);
	assert_true(heard.part > 0.1 && heard.left < 0.9 * SMOKE_SECONDS);
}

/* The scans of noise are planned when other rows are measured: before, no time is said. */
TEST(asked_for_time_is_in_the_time_left)
{
	strcpy(options.probes, "latency,noise");
	options.noise_seconds = 600;
	hear_run(SMOKE_SECONDS + 2 * 600 * 1.05); /* one of a CPU, one of all */
	assert_true(heard.timed > 0 && heard.timed < heard.lines);
}

/* A machine so slow that its first rows take more than all the time: no time left is promised. */
TEST(a_run_beyond_its_time_says_so)
{
	fake_slowness = 1000000;
	strcpy(options.probes, "clock:rdtsc,clock:core-clock");
	memset(&heard, 0, sizeof heard);
	heard.left = heard.all_s = SMOKE_SECONDS;
	room.progress = hear_time;
	bench_run(&room, &options);
	assert_non_null(strstr(heard.last, ", longer than planned: clock "));
}

static char progress_line[128];

static void keep_progress(struct room *e, const char *line, size_t n, double part)
{
	snprintf(progress_line, sizeof progress_line, "%.*s", (int)n, line);
}

/* The time of the runs that follow is added to the time left. */
TEST(progress_of_a_series)
{
	unsigned row, all;
	char probe[16];

	strcpy(options.probes, "clock");
	options.runs = 12;
	options.run = 7;
	options.later_s = 1000;
	room.progress = keep_progress;
	assert_int_equal(0, bench_run(&room, &options));
	if (sscanf(progress_line, "row %u, run 7 of 12, about %u s left of all: %15s", &row, &all,
		    probe) != 3)
		fail_msg("%s", progress_line);
	assert_true(all >= 1000 && all <= 1000 + SMOKE_SECONDS);
	assert_string_equal(probe, "clock");
}

/* Another room is still to come. */
TEST(progress_of_the_first_room)
{
	unsigned row, all;

	strcpy(options.probes, "clock");
	options.later_s = 1000;
	room.progress = keep_progress;
	assert_int_equal(0, bench_run(&room, &options));
	if (sscanf(progress_line, "row %u, about %u s left of all: ", &row, &all) != 2)
		fail_msg("%s", progress_line);
	assert_true(all >= 1000 && all <= 1000 + SMOKE_SECONDS);
}

/* The rows of a source take what they take: their time is an estimate. */
TEST(progress_of_a_source)
{
	options.source = SOURCE_L;
	options.probes[0] = 0;
	room.progress = keep_progress;
	bench_run(&room, &options);
	assert_null(strstr(progress_line, "at most"));
}

/* The siblings' state when a line of clock and of noise was written. */
static bool siblings_started, seen_of_clock, seen_of_noise;

static void start_siblings(struct room *e, bool start)
{
	siblings_started = start;
}

static void see_siblings(struct room *e, const char *line, size_t n)
{
	bool row = strstr(line, "\"kind\":\"row\"") || strstr(line, "\"kind\":\"skip\"");

	if (row && strstr(line, "\"probe\":\"clock\"")) {
		seen_of_clock = true;
		assert_false(siblings_started);
	}
	if (row && strstr(line, "\"probe\":\"noise\"")) {
		seen_of_noise = true;
		assert_true(siblings_started);
	}
	fake_write(e, line, n);
}

TEST(siblings_are_started_for_rows_that_need_them)
{
	room.start_siblings = start_siblings;
	room.write = see_siblings;
	strcpy(options.probes, "clock,noise");
	bench_run(&room, &options);
	assert_true(seen_of_clock);
	assert_true(seen_of_noise);
}

/*
 * The number of a probe's rows, measured or skipped; those that stand before the last row of
 * another probe; those that were measured.
 */
struct row_order {
	const char *probe, *other;
	unsigned rows, earlier, others, measured;
};

static void see_order(const json_t *o, void *arg)
{
	struct row_order *order = arg;

	bool row = !strcmp(text_of(o, "kind"), "row");

	if (!row && strcmp(text_of(o, "kind"), "skip"))
		return;
	if (!strcmp(text_of(o, "probe"), order->probe)) {
		order->rows++;
		order->measured += row;
	}
	if (!strcmp(text_of(o, "probe"), order->other)) {
		order->others++;
		order->earlier = order->rows;
	}
}

/* At 20 ns a load a row of targets may take 200 ms, and a smoke run has 10 s. */
TEST(answers_with_long_rows_come_last)
{
	struct row_order order = { .probe = "branch", .other = "ilp" };

	fake_load = 20;
	strcpy(options.probes, "branch:targets,ilp:multiply");
	bench_run(&room, &options);
	each_line(see_order, &order);
	assert_true(order.rows > 0);
	assert_true(order.others > 0);
	assert_int_equal(0, order.earlier);
}

/* All rows together may take more than what is left beside the edges, and less than the run. */
TEST(what_was_left_out_has_the_time_that_edges_did_not_need)
{
	struct row_order order = { .probe = "ilp", .other = "clock" };

	fake_load = 5050;
	options.edges = EDGES_BISECT;
	strcpy(options.probes, "clock:rdtsc,ilp:multiply");
	bench_run(&room, &options);
	each_line(see_order, &order);
	if (order.rows != 5 || order.measured != 5)
		fail_msg("expected 5 rows, all measured: came %u, %u", order.rows, order.measured);
}
