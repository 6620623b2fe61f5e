/* SPDX-License-Identifier: MIT */
/* What the planner knows of a machine's pace, in a room where time is made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/measure.h"
#include "tests/unit/fake_env.h"

static struct pace pace_in(size_t arena_bytes)
{
	static const struct options options = { .node = 64 };
	static struct env env;
	struct bench b = { .env = &env, .opt = &options };

	fake_reset(&env);
	assert_int_equal(0, fake_arena(&env, PAGE_2M, &b.arena));
	b.arena.bytes = arena_bytes;
	random_seed(&b.random, 1);
	measure_pace(&b);
	return b.pace;
}

/* 100 ticks from one look at the clock to the next; the far chain fills half of the arena. */
static void a_chain_is_built_and_chased(void **state)
{
	struct pace p = pace_in(FAKE_ARENA);
	double node = 100.0 / (FAKE_ARENA / 2 / 64), load = 4 + (FAKE_CALL + 100) / 4096.0;

	(void)state;
	if (p.ns_per_node != node)
		fail_msg("expected %g ns for a node, came %g", node, p.ns_per_node);
	if (p.ns_per_far_load != load)
		fail_msg("expected %g ns for a load, came %g", load, p.ns_per_far_load);
}

static void no_chain_fits_and_none_has_a_pace(void **state)
{
	struct pace p = pace_in(64);

	(void)state;
	if (p.ns_per_node != 0 || p.ns_per_far_load != 0)
		fail_msg("expected 0 ns for a node and a load, came %g and %g", p.ns_per_node,
			p.ns_per_far_load);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_is_built_and_chased),
		cmocka_unit_test(no_chain_fits_and_none_has_a_pace),
	};

	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
