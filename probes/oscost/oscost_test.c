/* SPDX-License-Identifier: MIT */
/* Probe oscost: with a system that does what it says, and one that does not; and with Linux. */
#include "linux/hosted.h"
#include "tests/unit/lines_of_rows.h"
#include "tests/unit/prepared.h"

#define IDLE_TICKS 4 /* of a lap that asks for nothing */

/* The system: any other lap takes 100 ticks. */
static struct {
	enum os_request asked;
	enum os_request of; /* what is counted or done otherwise; REQUEST_NOTHING: all */
	uint64_t laps, counted_less, counted_more, done_less;
	unsigned idle, refuses_at, requests;
	double late_ns;
} os;

static int answer(struct room *e, enum os_request what, uint64_t laps, struct request_result *out,
	const char **why)
{
	uint64_t is = !os.of || os.of == what;

	*why = "it will not";
	if (++os.requests == os.refuses_at)
		return -1;
	os.laps = laps;
	if (what == REQUEST_NOTHING) /* each call a little longer, the last ones much */
		os.idle++;
	else
		os.asked = what;
	*out = (struct request_result){ .timed = { laps - is * os.done_less,
						what ? 100 * laps
						     : IDLE_TICKS * laps + os.idle +
								(os.idle > 16 ? 5000 : 0) },
		.counted = laps + is * (os.counted_more - os.counted_less),
		.late_ns = os.late_ns };
	fake_time += out->timed.ticks;
	return 0;
}

static void prepare_system(void)
{
	prepare_run("oscost", fake_call);
	memset(&os, 0, sizeof os);
	room.facts.cpus = 2;
	room.run_on =
		(int (*)(struct room *, unsigned, void (*)(void *), void *))1; /* is not called */
	room.system.request = answer;
}

/* Another CPU may answer before this one sleeps. */
TEST(what_was_counted_is_said)
{
	prepare_system();
	os.of = REQUEST_CROSS_FUTEX;
	os.counted_less = 1;
	assert_int_equal(0, bench_run(&room, &options));
	expect("minor-fault", "laps", 256);
	expect("minor-fault", "counted_per_lap", 1);
	expect("cross-cpu-futex", "counted_per_lap", 0.9375);
	assert_non_null(strstr(fake_out, "\"counted\":\"faults\""));
	assert_null(strstr(fake_out, "\"kind\":\"skip\""));
}

TEST(what_was_counted_beside_it_disturbs)
{
	prepare_system();
	os.of = REQUEST_SWITCH_PIPE;
	os.counted_more = 2;
	assert_int_equal(0, bench_run(&room, &options));
	assert_true(number("switch-pipe", "disturbed") == number("switch-pipe", "samples"));
	assert_true(number("switch-futex", "disturbed") == 0);
}

TEST(a_clock_that_moves_disturbs)
{
	static const char *const variants[] = { "switch-futex" };

	prepare_system();
	fake_restless = true;
	assert_int_equal(0, bench_run(&room, &options));
	expect_all_disturbed(variants, 1);
}

TEST(a_request_that_was_not_done_fails_the_run)
{
	prepare_system();
	os.of = REQUEST_SIGNAL;
	os.done_less = 1;
	assert_int_equal(1, bench_run(&room, &options));
	expect_skip("signal", "proof failed: 63 of 64 requests were done");
}

TEST(without_a_system_all_is_skipped)
{
	prepare_system();
	room.system.request = NULL;
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("syscall", "needs an operating system");
	expect_skip("cross-cpu-pipe", "needs an operating system");
	assert_null(strstr(fake_out, "\"kind\":\"row\""));
}

static struct cpu_location where[2];

/* Linux, on the CPU that this test is on. The address sanitizer may fault beside what is asked. */
static void setup_linux(struct hosted *h)
{
	h->room.priv = h;
	h->room.facts.cpus = 1;
	h->room.call = fake_call;
	h->topology = where;
	where[0].id = h->scheduling.cpu = first_cpu();
	assert_int_equal(0, pin_to(where[0].id));
	counters_init(h);
	requests_init(h);
}

static void ask_linux(struct hosted *h, enum os_request what, uint64_t laps, uint64_t least)
{
	struct request_result out;
	const char *why = "";

	if (h->room.system.request(&h->room, what, laps, &out, &why))
		fail_msg("request %d: %s", what, why);
	assert_int_equal(laps, out.timed.value);
	if (out.counted < least)
		fail_msg("request %d: %llu counted, %llu expected", what,
			(unsigned long long)out.counted, (unsigned long long)least);
}

TEST(linux_does_what_it_is_asked_for)
{
	static const enum os_request counted[] = { REQUEST_SIGNAL, REQUEST_SWITCH_PIPE,
		REQUEST_SWITCH_FUTEX, REQUEST_FAULT, REQUEST_MAP_TOUCHED, REQUEST_THREAD };
	static struct hosted h;

	setup_linux(&h);
	for (unsigned i = 0; i < sizeof counted / sizeof *counted; i++)
		ask_linux(&h, counted[i], 20, 20);
	ask_linux(&h, REQUEST_SYSCALL, 20, 0);
	ask_linux(&h, REQUEST_CLOCK, 20, 0);
	ask_linux(&h, REQUEST_CLOCK_SYSCALL, 20, 0);
	ask_linux(&h, REQUEST_MAP, 20, 0);
	ask_linux(&h, REQUEST_CROSS_FUTEX, 20, 20); /* there is no other: the same CPU */
	ask_linux(&h, REQUEST_TIMER, 1, 1);
	ask_linux(&h, REQUEST_TIMER_PRECISE, 1, 1);
	counters_close(&h.counters);
}

/* Rows of `oscost`: what each asks for, how often, and what a sample makes of the answers. */

static int ready(const char *variant, enum profile profile)
{
	request = answer;
	plan_small("oscost", profile);
	planner.clock_turns = planner.turn_cycles = 64;
	memset(&os, 0, sizeof os);
	return ready_row(row_planned(variant));
}

#define SWITCHES   EVENT_SWITCHES
#define FAULTS     EVENT_FAULTS
#define INTERRUPTS EVENT_INTERRUPTS

/* A change of what is asked changes its line. */
static const struct {
	const char *variant;
	enum os_request what;
	unsigned laps, ops;
	uint32_t allowed;
	bool late;
} asked[] = {
	{ "syscall", REQUEST_SYSCALL, 512, 512, 0, false },
	{ "clock-gettime", REQUEST_CLOCK, 2048, 2048, 0, false },
	{ "clock-syscall", REQUEST_CLOCK_SYSCALL, 512, 512, 0, false },
	{ "signal", REQUEST_SIGNAL, 64, 64, INTERRUPTS, false },
	{ "switch-pipe", REQUEST_SWITCH_PIPE, 32, 64, SWITCHES, false },
	{ "switch-futex", REQUEST_SWITCH_FUTEX, 32, 64, SWITCHES, false },
	{ "cross-cpu-pipe", REQUEST_CROSS_PIPE, 16, 32, SWITCHES, false },
	{ "cross-cpu-futex", REQUEST_CROSS_FUTEX, 16, 32, SWITCHES, false },
	{ "minor-fault", REQUEST_FAULT, 256, 256, FAULTS, false },
	{ "minor-fault-2m", REQUEST_FAULT_HUGE, 4, 4, FAULTS, false },
	{ "mmap-munmap", REQUEST_MAP, 64, 64, 0, false },
	{ "mmap-touch-munmap", REQUEST_MAP_TOUCHED, 64, 64, FAULTS, false },
	{ "thread-create", REQUEST_THREAD, 8, 8, SWITCHES | FAULTS, false },
	{ "timer-wakeup", REQUEST_TIMER, 1, 1, SWITCHES | INTERRUPTS, true },
	{ "timer-precise", REQUEST_TIMER_PRECISE, 1, 1, SWITCHES | INTERRUPTS, true },
};

/* Samples: at least 32, at most 128, of a timer all; in the shortest profile a quarter. */
TEST(each_asks_for_what_it_is_called)
{
	for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++)
		for (unsigned smoke = 0; smoke < 2; smoke++) {
			unsigned part = smoke ? 4 : 1;
			struct sample s = { 0 };

			assert_int_equal(0,
				ready(asked[i].variant, smoke ? PROFILE_SMOKE : PROFILE_DEFAULT));
			if (job.ops != asked[i].ops || job.allowed_events != asked[i].allowed)
				fail_msg("%s: expected %u operations, events %x, came %g, %x",
					asked[i].variant, asked[i].ops, asked[i].allowed, job.ops,
					job.allowed_events);
			assert_int_equal((asked[i].late ? 128 : 32) / part, job.min_samples);
			assert_int_equal(128 / part, job.max_samples);
			assert_int_equal(31, os.idle);
			os.late_ns = 640;
			assert_int_equal(0, job.sampler(&planner, &job, &s));
			assert_int_equal(asked[i].what, os.asked);
			assert_int_equal(asked[i].laps, os.laps);
			/* the median of the idle calls is the 16th one */
			near(asked[i].variant,
				asked[i].late
					? 640
					: ((100. - IDLE_TICKS) * asked[i].laps - 16) / asked[i].ops,
				s.value);
			near("clock", 64 * 64 / (64 * 64 + FAKE_CALL + 0.) * 1e9, s.core_hz);
			assert_false(s.disturbed);
		}
}

/* The row ends at a refusal of any of the 31 empty calls, or of a sample's call. */
TEST(any_refusal_ends_the_row)
{
	struct sample s;

	for (unsigned at = 1; at <= 31; at += 15) {
		request = answer;
		ready("syscall", PROFILE_DEFAULT);
		os.requests = 0;
		os.refuses_at = at;
		assert_int_equal(-1, ready_row(job.row));
		assert_string_equal("it will not", job.skip);
	}
	assert_int_equal(0, ready("syscall", PROFILE_DEFAULT));
	os.refuses_at = os.requests + 1;
	assert_int_equal(-1, job.sampler(&planner, &job, &s));
	assert_string_equal("it will not", job.skip);
	planner.work.bytes = 0;
	assert_int_equal(-1, ready_row(job.row));
	assert_string_equal("no scratch memory", job.skip);
}

/*
 * With eight samples or more, one of eight laps with another CPU may be missed; nothing else may.
 */
TEST(what_was_not_counted_ends_the_row)
{
	static const struct {
		const char *variant;
		unsigned less, samples; /* that it takes to end the row; 0: it never does */
		const char *skip;
	} counts[] = { { "minor-fault", 1, 1, "the system counted 255 of 256 faults" },
		{ "switch-pipe", 1, 1, "the system counted 31 of 32 switches" },
		{ "signal", 2, 1, "the system counted 62 of 64 signals" },
		{ "thread-create", 1, 1, "the system counted 7 of 8 threads" },
		{ "cross-cpu-pipe", 2, 0, "" },
		{ "cross-cpu-pipe", 3, 8, "the system counted 104 of 128 switches" },
		{ "cross-cpu-futex", 16, 8, "the system counted 0 of 128 switches" },
		{ "syscall", 512, 0, "" }, { "mmap-munmap", 1, 0, "" } };

	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		unsigned n = 0;
		struct sample s;

		assert_int_equal(0, ready(counts[i].variant, PROFILE_DEFAULT));
		os.counted_less = counts[i].less;
		while (n < 20 && !job.sampler(&planner, &job, &s))
			n++;
		if (strcmp(counts[i].skip, job.skip) ||
			n != (counts[i].samples ? counts[i].samples - 1 : 20))
			fail_msg("%s, %u less: expected '%s' after %u samples, came '%s' after %u",
				counts[i].variant, counts[i].less, counts[i].skip,
				counts[i].samples, job.skip, n + 1);
	}
}
