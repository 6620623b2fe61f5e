/* SPDX-License-Identifier: MIT */
/*
 * The probe `smm` on three processors whose gaps are made up: which of them are of SMIs, which are
 * common to all, and what is said where nothing counts SMIs; and an SMI that is asked for.
 */
#include "probes/noise/noise_scan.h"
#include "tests/unit/lines_of_rows.h"
#include "tests/unit/threads_room.h"

#define MS      1000000ull
#define SECONDS 2    /* that a smoke run watches */
#define BLIND   1000 /* ns from one call of the loop to the next */

static uint64_t clock_of[CPUS];
static uint32_t known; /* events that are counted */
static unsigned smi_every_ms, smis_out_of_turn;

/*
 * Returns the event in millisecond ms, or all 0. Its length is in ns on CPU 0, and 1 ns more on
 * each next CPU.
 */
static struct happening {
	uint64_t length;
	unsigned cpus; /* a bit for each that is taken away */
	bool smi, nmi;
} at_ms(uint64_t ms)
{
	if (smi_every_ms && ms % smi_every_ms == 13)
		return (struct happening){ ms % (4 * smi_every_ms) == 13 ? 200000 : 50000, 7, true,
			false };
	if (smis_out_of_turn && ms % 97 == 31)
		return (struct happening){ 50000, 7, true, false };
	if (ms % 250 == 40)
		return (struct happening){ 7000, 1, false, false };
	if (ms % 250 == 60)
		return (struct happening){ 9000, 3, false, false };
	if (ms == 80)
		return (struct happening){ 300000, 7, true, true };
	return (struct happening){ 0 };
}

/* All CPUs share a TSC of 1 GHz. */
static void scan(struct gap_scan *s, uint64_t duration, uint64_t threshold)
{
	uint64_t end;

	s->reads = 1000;
	s->smallest = 7;
	if (threshold > INT64_MAX / 2) { /* the search for the threshold begins a scan */
		clock_of[here] = 0;
		s->observed = duration;
		return;
	}
	s->started = clock_of[here] + BLIND;
	end = s->started + duration;
	for (uint64_t ms = s->started / MS + 1; ms * MS < end; ms++) {
		struct happening h = at_ms(ms);
		uint64_t length = h.length + here;

		if (!(h.cpus >> here & 1) || length <= threshold)
			continue;
		if (s->recorded < s->capacity)
			s->events[s->recorded++] =
				(struct gap){ ms * MS + length - s->started, length };
		s->count++;
		s->total += length;
		s->longest = length > s->longest ? length : s->longest;
		s->log2[63 - __builtin_clzll(length)]++;
		if (s->count == s->most)
			end = ms * MS + length;
	}
	s->blind = 3;
	s->observed = end - s->started;
	clock_of[here] = end;
}

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	if (loop != loop_gaps)
		return fake_call(e, loop, a);
	scan((struct gap_scan *)(uintptr_t)a[0], a[1], a[2]);
	return (struct timed){ 0, a[1] };
}

static void timed_begin(struct room *e, struct event_counts *q)
{
	q->priv[0] = clock_of[here];
}

static void timed_end(struct room *e, struct event_counts *q)
{
	q->known = known;
	q->smis = q->nmis = 0;
	for (uint64_t ms = q->priv[0] / MS + 1; ms * MS < clock_of[here]; ms++) {
		q->smis += at_ms(ms).smi;
		q->nmis += at_ms(ms).nmi;
	}
}

static void reset(void)
{
	prepare_run("smm", call);
	memset(clock_of, 0, sizeof clock_of);
	room.kind = ROOM_BARE;
	room.facts.cpus = CPUS;
	room.now = slow_now;
	room.timed_begin = timed_begin;
	room.timed_end = timed_end;
	room.run_on = run_on;
	room.run_wait = run_wait;
	known = EVENT_SMIS | EVENT_NMIS;
	smi_every_ms = 100;
	smis_out_of_turn = 0;
}

static void expect_near(double expected, double came, double room)
{
	if (!(fabs(came - expected) <= room))
		fail_msg("expected %g, came %g", expected, came);
}

BEFORE_EACH(reset);

/* Twenty SMIs, one with an NMI; 8 gaps of CPU 0 alone, 8 of two CPUs. */
TEST(gaps_by_their_causes)
{
	assert_int_equal(0, bench_run(&room, &options));
	expect("watch", "smis", 21);
	expect("watch", "smis_mixed", 1);
	expect("watch", "gaps", 21 + 8 + 8);
	expect("smi-length", "samples", 20);
	expect("smi-length", "gaps", 20);
	expect("smi-length", "stolen_ns", 5 * 200000 + 15 * 50000);
	expect("smi-length", "longest_ns", 200000);
	expect("smi-length", "median", 50000);
	expect("smi-interval", "samples", 19);
	expect("smi-interval", "median", 100 * MS);
	expect("common-length", "samples", 21);
	expect("common-length", "longest_ns", 300000);
}

TEST(a_gap_has_the_cause_that_was_counted_in_it)
{
	unsigned alone = 0, smis = 0, both = 0;
	const json_t *event;
	size_t i;

	assert_int_equal(0, bench_run(&room, &options));
	json_t *line = line_of("row", "watch");

	json_array_foreach(json_object_get(json_object_get(line, "more"), "events"), i, event) {
		json_int_t cause = json_integer_value(json_array_get(event, 2));

		alone += cause == 0;
		smis += cause == (EVENT_SMIS | NOISE_TOGETHER);
		both += cause == (EVENT_SMIS | EVENT_NMIS | NOISE_TOGETHER);
		assert_int_equal(0,
			(json_integer_value(json_array_get(event, 0)) -
				json_integer_value(json_array_get(event, 1)) + BLIND) %
				(json_int_t)MS);
	}
	json_decref(line);
	assert_int_equal(8, alone);
	assert_int_equal(20, smis);
	assert_int_equal(1, both);
}

/* The time of all calls, and what lies between them, which is blind. */
TEST(calls_add_up_to_a_slice)
{
	double gaps = 21 + 8 + 8, slices = SECONDS * 4;

	assert_int_equal(0, bench_run(&room, &options));
	double observed = number("watch", "observed_seconds");

	assert_true(observed >= SECONDS && observed < SECONDS + 0.001);
	expect_near(gaps * (BLIND + 3) + slices * 3, number("watch", "blind_ns"), 0.5);
}

TEST(values)
{
	assert_int_equal(0, bench_run(&room, &options));
	double n = 21, seconds = number("watch", "observed_seconds");

	expect_near(n / seconds, summary("smis_per_second"), 1e-5);
	expect_near((n - 2 * sqrt(n)) / seconds, summary_number("smis_per_second", "low"), 1e-5);
	expect_near((n + 2 * sqrt(n) + 3) / seconds, summary_number("smis_per_second", "high"),
		1e-5);
	expect_near(50000, summary("smi_length_ns"), 0);
	expect_near(200000, summary("smi_longest_ns"), 0);
	expect_near(1750000 / seconds / 1e3, summary("smi_stolen_ppm"), 1e-3);
	expect_near(100 * MS, summary("smi_period_ns"), 1);
	assert_true(summary_number("smi_period_ns", "low") < 100 * MS);
	assert_true(summary_number("smi_period_ns", "high") > 100 * MS);
	expect_near(n / seconds, summary("common_gaps_per_second"), 1e-5);
	expect_near(50000, summary("common_gap_ns"), 0);
}

TEST(two_kinds_of_smis_have_no_period)
{
	smis_out_of_turn = 1;
	assert_int_equal(0, bench_run(&room, &options));
	assert_true(isnan(summary("smi_period_ns")));
	assert_true(summary("smis_per_second") > 19);
}

TEST(none_came)
{
	smi_every_ms = 0;
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("smi-length", "0 came in the time watched");
	expect_skip("smi-interval", "0 came in the time watched");
	expect("common-length", "samples", 1);
	expect_skip("common-interval", "1 came in the time watched");
	expect_near(0.5, summary("smis_per_second"), 1e-3); /* the mixed one */
	assert_true(summary_number("smis_per_second", "low") == 0);
	assert_true(isnan(summary("smi_length_ns")));
	assert_true(summary("smi_stolen_ppm") == 0);
}

/* Nothing is called an SMI; what all CPUs have at once is called that. */
TEST(nothing_counts_smis)
{
	known = EVENT_NMIS;
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("smi-length", "SMIs are not counted here");
	expect_skip("smi-interval", "SMIs are not counted here");
	assert_true(isnan(summary("smis_per_second")));
	assert_true(isnan(summary("smi_stolen_ppm")));
	expect("common-length", "samples", 21);
	assert_non_null(strstr(fake_out, "which gaps are of SMIs cannot be told"));
	json_t *line = line_of("row", "watch");

	assert_null(json_object_get(json_object_get(line, "more"), "smis"));
	json_decref(line);
}

TEST(under_a_system_that_counts_none_nothing_is_watched)
{
	room.kind = ROOM_HOSTED;
	known = 0;
	bench_run(&room, &options);
	expect_skip("watch", "SMIs are not counted here: gaps under a system are those of noise");
	expect_skip("common-length", "nothing was watched");
	assert_null(strstr(fake_out, "smis_per_second"));
}

TEST(one_cpu_has_nothing_in_common)
{
	room.facts.cpus = 1;
	assert_int_equal(0, bench_run(&room, &options));
	expect("smi-length", "samples", 20);
	expect_skip("common-length", "there is one CPU");
	assert_true(isnan(summary("common_gaps_per_second")));
}

/* An SMI that is asked for. */

static unsigned asked_smis;        /* that came */
static unsigned asked_for, others; /* SMIs that come of themselves beside the next ones asked for */
static uint64_t answers;           /* SMIs that come of one */

static struct timed call_asked(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	uint64_t value = a[0] ? answers : 0;

	if (loop != loop_ask_smi)
		return call(e, loop, a);
	assert_int_equal(0xb3, a[1]);
	assert_int_equal(0x5d, a[2]);
	assert_int_equal(0x34, a[3]);
	asked_for += a[0] != 0;
	if (a[0] && others) {
		others--;
		value++;
	}
	asked_smis += (unsigned)value;
	return (struct timed){ value, 40 + 7000 * value };
}

static void asked_begin(struct room *e, struct event_counts *q)
{
	q->priv[1] = asked_smis;
}

static void asked_end(struct room *e, struct event_counts *q)
{
	q->known = EVENT_SMIS;
	q->smis = asked_smis - q->priv[1];
}

static void may_ask(void)
{
	reset();
	room.call = call_asked;
	room.timed_begin = asked_begin;
	room.timed_end = asked_end;
	room.facts.cpus = 1;
	room.facts.ring0 = true;
	room.smi = (struct smi_request){
		.wanted = true, .port = 0xb3, .value = 0x5d, .counter = 0x34
	};
	strcpy(options.probes, "smm:asked");
	asked_for = others = 0;
	answers = 1;
}

BEFORE_EACH(may_ask);

TEST(one_that_is_asked_for)
{
	others = 5;
	assert_int_equal(0, bench_run(&room, &options));
	expect("asked", "median", 7000);
	expect("asked", "max", 7000);
	expect_near(7000, summary("smi_asked_ns"), 0);
	assert_true(number("asked", "samples") >= 16);
	assert_int_equal(number("asked", "samples") + 5, asked_for);
	expect("asked", "disturbed", 0);
}

TEST(no_smi_comes)
{
	answers = 0;
	bench_run(&room, &options);
	expect_skip("asked", "no SMI came: the firmware does not answer");
	assert_int_equal(1, asked_for);
}

TEST(more_come_than_were_asked_for)
{
	answers = 2;
	bench_run(&room, &options);
	expect_skip("asked", "more SMIs came than were asked for");
}

TEST(none_is_asked_for_without_a_counter)
{
	room.smi.counter = 0;
	bench_run(&room, &options);
	expect_skip("asked", "SMIs are not counted here: whether one came could not be told");
	assert_int_equal(0, asked_for);
}

TEST(none_is_asked_for_where_the_room_says_why)
{
	room.smi.why = "the value is taken";
	bench_run(&room, &options);
	expect_skip("asked", "the value is taken");
	assert_int_equal(0, asked_for);
}

TEST(none_is_asked_for_without_the_key)
{
	room.smi.wanted = false;
	strcpy(options.probes, "smm");
	bench_run(&room, &options);
	assert_null(line_of("skip", "asked"));
	assert_null(line_of("row", "asked"));
	assert_int_equal(0, asked_for);
}
