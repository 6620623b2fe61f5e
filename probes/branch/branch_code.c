/* SPDX-License-Identifier: MIT */
/*
 * (e) and (f): how many branch targets, and how many return addresses, the processor remembers.
 * The code is generated, since its size is the parameter.
 */
#include "probes/branch/branch.h"
#include "engine/find.h"
#include "probes/branch/codegen.h"

#define TARGETS_MOST   16384
#define JUMPS_PER_CALL 16384
#define LAPS_FEWEST    4
#define DEPTH_MOST     64
#define CALLS_PER_CALL 4096    /* nested calls per call of the kernel, about */
#define TRANSLATE_NS   30000.0 /* an emulator translates each jump when it first meets it */

static const struct unit unit_ns_jump = { "ns/jump", SCALE_NS };
static const struct unit unit_ns_call = { "ns/call", SCALE_NS };

static uint64_t laps_of_jumps(uint64_t jumps)
{
	uint64_t laps = JUMPS_PER_CALL / jumps;

	return laps < LAPS_FEWEST ? LAPS_FEWEST : laps;
}

/* Seals the block and sets it up as what loop_timed_call calls `laps` times. */
static int ready(struct bench *b, struct job *job, const struct code *c, uint64_t laps)
{
	uint64_t base = (uint64_t)(uintptr_t)c->base;

	if (c->full)
		return job_skip(job, "the generated code does not fit");
	if (b->env->code_seal(b->env))
		return job_skip(job, "generated code cannot be made executable");
	job->loop = loop_timed_call;
	job->args[0] = base + CODE_ENTRY;
	job->args[1] = laps;
	job->empty_args[0] = base;
	job->expect = laps;
	return 0;
}

static int open_code(struct bench *b, struct job *job, struct code *c, size_t bytes)
{
	void *base = b->env->code_open(b->env, bytes);

	if (!base)
		return job_skip(job, "no %llu KiB for generated code",
			(unsigned long long)(bytes / KIB + 1));
	*c = code_begin(base, bytes);
	return 0;
}

/* The twin calls a lone return as often: what remains are the jumps. */
static int prepare_targets(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t jumps = row->key[0], spacing = row->key[1], laps = laps_of_jumps(jumps);
	struct code c;

	if (open_code(b, job, &c, code_targets_bytes(jumps, spacing)))
		return -1;
	code_targets(&c, jumps, spacing);
	job->empty_args[1] = laps;
	job->ops = (double)(laps * jumps);
	job->warm_calls = 4;
	return ready(b, job, &c, laps);
}

static int prepare_calls(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t depth = row->key[0], laps = CALLS_PER_CALL / depth;
	struct code c;

	if (open_code(b, job, &c, code_calls_bytes(depth)))
		return -1;
	code_calls(&c, depth);
	job->ops = (double)(laps * depth);
	job->warm_calls = 4;
	return ready(b, job, &c, laps);
}

/* A jump or a call with its return is at worst mispredicted: ten loads of the pace's chase. */
static double cost(const struct bench *b, double different, double operations)
{
	double once = b->env->facts.emulated ? different * TRANSLATE_NS : 0;

	return once + 60 * (b->pace.ns_per_call + operations * 10 * b->pace.ns_per_near_load);
}

static void add_targets(struct bench *b, uint64_t jumps, uint64_t spacing)
{
	struct row row = row_new("targets", &unit_ns_jump, RANK_USEFUL, prepare_targets);

	row.needs = NEED_CODE;
	row.key[0] = jumps;
	row.key[1] = spacing;
	row.cost_ns = cost(b, (double)jumps, (double)(laps_of_jumps(jumps) * jumps));
	row_param(&row, "targets", (double)jumps);
	row_param(&row, "stride_bytes", (double)spacing);
	plan_add(b, &row);
}

static void add_calls(struct bench *b, uint64_t depth)
{
	struct row row = row_new("return-stack", &unit_ns_call, RANK_USEFUL, prepare_calls);

	row.needs = NEED_CODE;
	row.key[0] = depth;
	row.cost_ns = cost(b, 2.0 * (double)depth, CALLS_PER_CALL);
	row_param(&row, "depth", (double)depth);
	plan_add(b, &row);
}

void branch_code_plan(struct bench *b)
{
	uint64_t sizes[64];

	for (uint64_t spacing = 16; spacing <= 32; spacing *= 2) {
		unsigned n = sweep(b, 1, TARGETS_MOST, 1, sizes, 64);

		for (unsigned i = 0; i < n; i++)
			add_targets(b, sizes[i], spacing);
	}
	for (uint64_t depth = 1; depth <= DEPTH_MOST; depth++) {
		unsigned step = depth > 16 ? 4 : depth > 8 ? 2 : 1;

		if (b->opt->profile != PROFILE_SMOKE || depth % step == 0)
			add_calls(b, depth);
	}
}

void branch_code_meaning(struct bench *b)
{
	struct curve *c = row_alloc(b, sizeof *c);
	struct estimate targets, returns;

	if (!c)
		return;
	targets = read_all_targets(b, c);
	returns = read_returns(b, c);
	if (!targets.reason)
		say(b, "  The targets of %.0f jumps are remembered, of %.0f no longer.\n",
			targets.value, targets.high);
	if (!returns.reason)
		say(b, "  Returns are predicted to a depth of %.0f calls.\n", returns.value);
}
