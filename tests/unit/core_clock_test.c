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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_comes_out),
		cmocka_unit_test(an_interrupted_difference_is_taken_anew),
		cmocka_unit_test(no_difference_is_no_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
