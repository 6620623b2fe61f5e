/* SPDX-License-Identifier: MIT */
/*
 * Godbolt's state_machine_4096: one pass of the state machine over 4096 random elements, again and
 * again, for the distribution of its time. The samples are the distribution, disturbed or not.
 */
#include "probes/branch/branch.h"

#define ELEMENTS     4096
#define FEWEST       512 /* samples: five are in the last hundredth */
#define LEARNT_CALLS 40  /* before the first sample */

/* A branch may cost as much as five loads of the pace's chase: see branch_penalty.c. */
#define LOADS_EACH 5

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	unsigned char *bytes = job_alloc(b, job, ELEMENTS);

	if (!bytes)
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)bytes, ELEMENTS };

	branch_fill_coins(&b->random, bytes, ELEMENTS);
	job_call(job, loop_branch_states, 1, args);
	job->expect = branch_states_value(bytes, ELEMENTS);
	job->ops = ELEMENTS;
	job->warm_calls = LEARNT_CALLS;
	job->min_samples = FEWEST;
	job->max_samples = SAMPLES_LIMIT;
	job->tells_disturbance = true;
	return 0;
}

void branch_distribution_plan(struct bench *b)
{
	struct row row = row_new("state-machine", &unit_ns_element, DROP_MIDDLE, prepare);
	double calls = LEARNT_CALLS + FEWEST;

	row.cost_ns =
		calls * (b->pace.ns_per_call + ELEMENTS * LOADS_EACH * b->pace.ns_per_near_load);
	row_param(&row, "elements", ELEMENTS);
	if (b->opt->profile != PROFILE_SMOKE)
		plan_add(b, &row);
}
