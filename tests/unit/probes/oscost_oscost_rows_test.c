/* SPDX-License-Identifier: MIT */
/* Rows of `oscost`: what each asks for, how often, and what a sample makes of the answers. */
#include "tests/unit/near.h"
#include "tests/unit/prepared.h"
#include "tests/unit/test.h"

#define IDLE_TICKS 4 /* of a lap that asks for nothing */

/* The system: a lap takes 100 ticks. */
static struct {
	enum os_request asked;
	uint64_t laps, counted_less;
	unsigned idle, refuses_at, requests;
	double late_ns;
} os;

static int answer(struct room *e, enum os_request what, uint64_t laps, struct request_result *out,
	const char **why)
{
	(void)e;
	*why = "it will not";
	if (++os.requests == os.refuses_at)
		return -1;
	os.laps = laps;
	if (what == REQUEST_NOTHING) /* each call a little longer, the last ones much */
		os.idle++;
	else
		os.asked = what;
	*out = (struct request_result){ .timed = { laps,
						what ? 100 * laps
						     : IDLE_TICKS * laps + os.idle +
								(os.idle > 16 ? 5000 : 0) },
		.counted = laps - os.counted_less,
		.late_ns = os.late_ns };
	return 0;
}

static int ready(const char *variant, enum profile profile)
{
	request = answer;
	plan_small("oscost", profile);
	planner.clock_turns = planner.turn_cycles = 64;
	memset(&os, 0, sizeof os);
	return make_ready(row_planned(variant));
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

/* Of the calls for nothing, of which there are 31, and of those of the samples. */
TEST(any_refusal_ends_the_row)
{
	struct sample s;

	for (unsigned at = 1; at <= 31; at += 15) {
		request = answer;
		ready("syscall", PROFILE_DEFAULT);
		os.requests = 0;
		os.refuses_at = at;
		assert_int_equal(-1, make_ready(job.row));
		assert_string_equal("it will not", job.skip);
	}
	assert_int_equal(0, ready("syscall", PROFILE_DEFAULT));
	os.refuses_at = os.requests + 1;
	assert_int_equal(-1, job.sampler(&planner, &job, &s));
	assert_string_equal("it will not", job.skip);
	planner.work.bytes = 0;
	assert_int_equal(-1, make_ready(job.row));
	assert_string_equal("no scratch memory", job.skip);
}

/* One of eight laps with another CPU may be missed, once there are eight samples; no other. */
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
