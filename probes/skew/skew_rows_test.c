/* SPDX-License-Identifier: MIT */
/* What the rows of `skew` are planned to cost. */
#include "probes/skew/skew.c"
#include "tests/unit/planned.h"

/* Offset and drift are apart by one wait for all CPUs: the row that comes first waits. */
TEST(all_cpus_wait_at_once)
{
	static const double apart[] = { [PROFILE_SMOKE] = APART_SMOKE,
		[PROFILE_DEFAULT] = APART_DEFAULT,
		[PROFILE_FULL] = APART_FULL };

	cpus = 64;
	for (enum profile p = PROFILE_SMOKE; p <= PROFILE_FULL; p++) {
		double ns[2] = { 0 };
		unsigned rows[2] = { 0 };

		plan_of(probe_named("skew"), p);
		for (unsigned i = 0; i < plan.n; i++) {
			bool drifts = !strcmp(plan.rows[i].variant, drift);

			if (!drifts && strcmp(plan.rows[i].variant, offset))
				continue;
			ns[drifts] += plan.rows[i].cost_ns;
			rows[drifts]++;
		}
		assert_int_equal(63, rows[0]);
		assert_int_equal(63, rows[1]);
		near("the drifts beyond the offsets", apart[p], ns[1] - ns[0]);
		near("an offset",
			LINES * (2 * ROUNDS * pace.ns_per_far_load + 20 * pace.ns_per_call),
			ns[0] / 63);
	}
}
