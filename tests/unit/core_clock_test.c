/* SPDX-License-Identifier: MIT */
/* The core clock by the difference of two chains: engine/core_clock.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/core_clock.h"

#define TSC_HZ 1e9

static unsigned interruptions; /* of chains of 64 adds that are still to come */

/* An add takes one tick; an interruption more than any chain here. */
static struct timed call(struct env *env, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	struct timed t = { 0 };

	(void)env;
	t.ticks = 30 + (loop == loop_add_chain_double ? 128 : 64) * args[0];
	if (loop == loop_add_chain && interruptions) {
		interruptions--;
		t.ticks += 1000000;
	}
	return t;
}

static double clock_after(unsigned n)
{
	struct env env = { .facts = { .tsc_hz = TSC_HZ }, .call = call };
	struct bench b = { .env = &env };

	interruptions = n;
	return core_clock_by_difference(&b, 512);
}

static void the_clock_comes_out(void **state)
{
	(void)state;
	assert_true(clock_after(0) == TSC_HZ);
}

static void an_interrupted_difference_is_taken_anew(void **state)
{
	(void)state;
	assert_true(clock_after(3) == TSC_HZ);
}

static void no_difference_is_no_clock(void **state)
{
	(void)state;
	assert_true(clock_after(1000) == 0);
}

/* A core whose clock is that of the TSC in the end, and before rises in steps of STEP_TICKS. */
#define STEP_TICKS 10000000 /* 10 ms */
#define STEPS      4
#define STAMPS     30 /* core cycles of a call beside its adds */

static double ticks_now;
static bool stays_slow;
static double jump_cycles; /* of the count and the jump of a turn */

static double ticks_per_cycle(void)
{
	unsigned step = stays_slow ? 0 : (unsigned)(ticks_now / STEP_TICKS);

	return step < STEPS ? 5 - step : 1;
}

static struct timed rising_call(struct env *env, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	double adds = loop == loop_add_chain_double ? 128 : 64;
	double cycles = STAMPS + (adds + jump_cycles) * (double)args[0];
	struct timed t = { .ticks = (uint64_t)(cycles * ticks_per_cycle() + 0.5) };

	(void)env;
	ticks_now += (double)t.ticks;
	return t;
}

static uint64_t rising_now(struct env *env)
{
	(void)env;
	return (uint64_t)(ticks_now += 20);
}

static void no_events(struct env *env, struct event_counts *q)
{
	(void)env;
	(void)q;
}

static struct env rising = { .facts = { .tsc_hz = TSC_HZ },
	.call = rising_call,
	.now = rising_now,
	.timed_begin = no_events,
	.timed_end = no_events };

static void a_clock_that_rises_in_steps_is_waited_for(void **state)
{
	struct bench b = { .env = &rising };

	(void)state;
	core_clock_warm(&b);
	assert_true(b.core_hz == TSC_HZ);
	assert_true(ticks_now > STEPS * (double)STEP_TICKS);
}

/* Calibrated at a fifth of the clock, as where it is slow for longer than anybody waits. */
static void the_overhead_holds_at_another_clock(void **state)
{
	struct bench b = { .env = &rising };
	double slow, fast;

	(void)state;
	stays_slow = true;
	core_clock_warm(&b);
	slow = core_clock_of(&b, 32, core_clock_ticks(&b, 32));
	stays_slow = false;
	ticks_now = STEPS * (double)STEP_TICKS;
	fast = core_clock_of(&b, 32, core_clock_ticks(&b, 32));
	assert_true(slow > 0.1999 * TSC_HZ && slow < 0.2001 * TSC_HZ);
	assert_true(fast > 0.9995 * TSC_HZ && fast < 1.0005 * TSC_HZ);
}

/* In order, and mispredicted every time: they are no adds. */
static void a_turn_takes_more_than_its_adds(void **state)
{
	struct bench b = { .env = &rising };

	(void)state;
	ticks_now = STEPS * (double)STEP_TICKS;
	for (jump_cycles = 0; jump_cycles <= 30; jump_cycles += 5) {
		core_clock_warm(&b);
		double hz = core_clock_of(&b, 32, core_clock_ticks(&b, 32));

		if (!(hz > 0.9995 * TSC_HZ && hz < 1.0005 * TSC_HZ))
			fail_msg("%g cycles a jump: expected %g Hz, came %g", jump_cycles,
				(double)TSC_HZ, hz);
	}
	jump_cycles = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_comes_out),
		cmocka_unit_test(an_interrupted_difference_is_taken_anew),
		cmocka_unit_test(no_difference_is_no_clock),
		cmocka_unit_test(a_clock_that_rises_in_steps_is_waited_for),
		cmocka_unit_test(the_overhead_holds_at_another_clock),
		cmocka_unit_test(a_turn_takes_more_than_its_adds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
