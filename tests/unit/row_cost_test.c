/* SPDX-License-Identifier: MIT */
/*
 * What a row is said to cost before it is measured: the promise of a profile's time rests on it.
 * On a machine of which one thing alone is slow, the cost is what of it the calls need.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/fake_env.h"

#define CALLS_FEWEST 6  /* of a row: warming up and the fewest samples */
#define CALLS_MOST   30 /* and what the preparation may take beside */

static struct plan plan;
static struct env env;

static void plan_of(const char *name, struct pace pace)
{
	static const struct options options = { .profile = PROFILE_DEFAULT };
	static const struct level_size levels[LEVELS] = {
		[LEVEL_L1] = { "l1", 24 * KIB, "measured" },
		[LEVEL_MEMORY] = { "memory", 64 * MIB, "measured" },
	};
	struct bench b = { .plan = &plan, .opt = &options, .env = &env, .pace = pace };

	fake_reset(&env);
	memcpy(b.levels, levels, sizeof levels);
	b.arena.bytes = GIB;
	plan.n = 0;
	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, name)) {
			b.probe = &probes[i];
			b.probe->plan(&b);
		}
}

/* `call`: what a call takes, in ns. */
static void expect_between(const struct row *row, double call)
{
	if (!(row->cost_ns >= CALLS_FEWEST * call && row->cost_ns <= CALLS_MOST * call))
		fail_msg("%s of %.0f bytes by %.0f bits: a call takes %g ns, all %g", row->variant,
			row_get(row, "bytes", 0), row_get(row, "width_bits", 0), call,
			row->cost_ns);
}

/* Rows of a variant cost `each` ns for each access of their width, for all calls. */
static void expect_accesses(const char *variant, double each)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];
		double bytes = row_get(row, "bytes", 0);
		double call = bytes / row_get(row, "width_bits", 0) * 8 * each;

		if (strcmp(row->variant, variant) || bytes < MIB)
			continue;
		n++;
		expect_between(row, call);
	}
	assert_true(n >= 2);
}

/* Four accesses in the time of a load that waits for another. */
static void slow_instructions_cost_bandwidth(void **state)
{
	(void)state;
	plan_of("bandwidth", (struct pace){ .ns_per_near_load = 100 });
	expect_accesses("read", 25);
	expect_accesses("write", 25);
}

static void slow_memory_costs_bandwidth(void **state)
{
	unsigned n = 0;

	(void)state;
	plan_of("bandwidth", (struct pace){ .ns_per_byte = 10 });
	for (unsigned i = 0; i < plan.n; i++) {
		double call = 10 * row_get(&plan.rows[i], "bytes", 0);

		if (call < 10 * MIB)
			continue;
		n++;
		expect_between(&plan.rows[i], call);
	}
	assert_true(n > 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_instructions_cost_bandwidth),
		cmocka_unit_test(slow_memory_costs_bandwidth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
