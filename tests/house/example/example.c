/* SPDX-License-Identifier: MIT */
/* An example: what one dependent add costs, in chains of two lengths. */
#include "probes/probe.h"

#include "lib/math.h"

/* Parameters of a row, set when it is planned, read when it is prepared. */
struct adds {
	uint64_t rounds; /* of 64 dependent adds */
};

static const char variant[] = "adds";

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const uint64_t args[LOOP_ARGS] = { row_spec(row, struct adds)->rounds };

	job_call(job, loop_add_chain, 0, args); /* the timed loop; its empty twin has args[0] = 0 */
	job->expect = 64 * args[0];             /* the proof: what plain C predicts */
	job->ops = (double)job->expect;         /* the number is per add */
	return 0;
}

static void example_plan(struct bench *b)
{
	for (uint64_t n = 16; n <= 256; n *= 16) {
		struct row row = row_new(variant, &unit_ns_op, ANSWER_SUMS, prepare);

		row_spec(&row, struct adds)->rounds = n;
		row.cost_ns =
			50 * (b->pace.ns_per_call + 64 * (double)n * b->pace.ns_per_near_load);
		row_param(&row, "n", (double)n);
		plan_add(b, &row);
	}
}

static void example_find(struct bench *b, struct found_values *f)
{
	found(f, VALUE_add_ns, row_estimate(&f->reader, variant, row_value), "example adds");
}

static void example_meaning(struct bench *b)
{
	const struct param n = { "n", 256 };
	const struct result *r = find_row(b, variant, &n, 1);

	if (r)
		say(b, "  A long chain of adds takes %.2f ns an add.\n", r->median);
}

const struct hooks probe_example = {
	.plan = example_plan,
	.find = example_find,
	.meaning = example_meaning,
};
