/* SPDX-License-Identifier: MIT */
/*
 * (a) Copying all of 10 000 bytes, or only the odd ones. Source and destination fit into any L1.
 * Random data are made anew for every sample, or the predictor would learn them.
 */
#include "probes/branch/branch.h"

#define ELEMENTS 10000

enum data { RANDOM, ODD, EVEN };

static const char odd_random[] = "copy-odd-random", odd_odd[] = "copy-odd-odd",
		  no_branch[] = "nobranch-random";

static const struct copy {
	const char *variant;
	loop_fn *loop;
	enum data data;
	bool odd_only;
} copies[] = {
	{ "copy", loop_branch_copy, RANDOM, false },
	{ odd_random, loop_branch_copy_odd, RANDOM, true },
	{ odd_odd, loop_branch_copy_odd, ODD, true },
	{ "copy-odd-even", loop_branch_copy_odd, EVEN, true },
	{ no_branch, loop_branch_copy_odd_free, RANDOM, true },
	{ "nobranch-odd", loop_branch_copy_odd_free, ODD, true },
};

/* What a row copies. */
struct copy_spec {
	const struct copy *copy;
};

struct buffers {
	const struct copy *copy;
	unsigned char from[ELEMENTS], to[ELEMENTS], wanted[ELEMENTS];
};

static void fill(struct random *r, unsigned char *bytes, enum data data)
{
	uint64_t set = data == ODD ? 0x0101010101010101 : 0;
	uint64_t clear = data == EVEN ? 0x0101010101010101 : 0;

	for (unsigned i = 0; i < ELEMENTS; i += 8) {
		uint64_t word = (random_next(r) | set) & ~clear;

		__builtin_memcpy(bytes + i, &word, 8);
	}
}

static void refresh(struct bench *b, struct job *job)
{
	struct buffers *m = job->priv;
	unsigned k = 0;

	fill(&b->random, m->from, m->copy->data);
	for (unsigned i = 0; i < ELEMENTS; i++) {
		m->wanted[k] = m->from[i];
		k += m->copy->odd_only ? m->from[i] & 1 : 1;
	}
	job->expect = branch_digest(m->wanted, k);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct buffers *m = job_alloc(b, job, sizeof *m);

	if (!m)
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)m->to, (uint64_t)(uintptr_t)m->from,
		ELEMENTS };

	m->copy = row_spec(row, struct copy_spec)->copy;
	job_call(job, m->copy->loop, 2, args);
	job->ops = ELEMENTS;
	job->refresh = refresh;
	job->priv = m;
	return 0;
}

/* Per element: one timed, one digested, three prepared; about five steps each. */
void branch_copy_plan(struct bench *b)
{
	for (unsigned i = 0; i < sizeof copies / sizeof *copies; i++) {
		struct row row = row_new(copies[i].variant, &unit_ns_element, DROP_LATE, prepare);

		row_spec(&row, struct copy_spec)->copy = &copies[i];
		row.cost_ns = 40 * (b->pace.ns_per_call + ELEMENTS * 8 * b->pace.ns_per_near_load);
		row_param(&row, "elements", ELEMENTS);
		plan_add(b, &row);
	}
}

void branch_copy_meaning(struct bench *b)
{
	const struct result *random = find_row(b, odd_random, NULL, 0);
	const struct result *odd = find_row(b, odd_odd, NULL, 0);
	const struct result *without = find_row(b, no_branch, NULL, 0);

	if (random && odd && odd->median > 0)
		say(b, "  Unpredictable branches make the same loop %.1f times as slow.\n",
			random->median / odd->median);
	if (random && without && without->median > 0)
		say(b, "  Without the branch it is %.1f times as fast on random data.\n",
			random->median / without->median);
}
