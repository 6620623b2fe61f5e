/* SPDX-License-Identifier: MIT */
/*
 * The clock: what reading it costs, how fine it is, how fast the core runs, and why fences matter.
 */
#include "probes/probe.h"
#include "engine/measure.h"

#define STAMPS       64 /* groups of eight, or single cpuid */
#define DIVIDEND     0x7fffffffffffffffULL
#define DIVISOR      3
#define CHAIN_ROUNDS 256 /* of 64 adds */
#define OS_READS     256

static const struct unit unit_ghz = { "GHz", SCALE_PLAIN };
static const struct unit unit_plain_ticks = { "ticks", SCALE_PLAIN };
static const struct unit unit_ns_call = { "ns/call", SCALE_PLAIN };
static const struct unit unit_ns = { "ns", SCALE_PLAIN };

static const struct stamp {
	const char *variant;
	loop_fn *loop;
	unsigned each; /* stamps in a group */
	uint32_t needs;
} stamps[] = {
	{ "rdtsc", loop_rdtsc, 8, 0 },
	{ "rdtscp", loop_rdtscp, 8, NEED_RDTSCP },
	{ "lfence-rdtsc", loop_lfence_rdtsc, 8, 0 },
	{ "cpuid-rdtsc", loop_cpuid_rdtsc, 1, 0 },
};

static const struct division {
	const char *variant;
	loop_fn *loop;
	uint32_t needs;
} divisions[] = {
	{ "div3-bare", loop_div_bare, 0 },
	{ "div3-rdtscp", loop_div_rdtscp, NEED_RDTSCP },
	{ "div3-lfence", loop_div_lfence, 0 },
	{ "div3-cpuid", loop_div_cpuid, 0 },
};

static int prepare_stamp(struct bench *b, const struct row *row, struct job *job)
{
	const struct stamp *s = &stamps[row->key[0]];
	uint64_t groups = s->each == 1 ? 16 : STAMPS;

	(void)b;
	job->loop = s->loop;
	job->args[0] = groups;
	job->expect = groups;
	job->ops = (double)groups * s->each;
	return 0;
}

static int prepare_division(struct bench *b, const struct row *row, struct job *job)
{
	(void)b;
	job->loop = divisions[row->key[0]].loop;
	job->args[0] = job->empty_args[0] = DIVIDEND;
	job->args[1] = job->empty_args[1] = DIVISOR;
	job->args[2] = 1;
	job->expect = DIVIDEND / DIVISOR / DIVISOR / DIVISOR;
	job->min_samples = 31;
	return 0;
}

/* The smallest step that many pairs of reads see; 0 pairs above zero is an error of the TSC. */
static int sample_step(struct bench *b, struct job *job, struct sample *s)
{
	const uint64_t args[LOOP_ARGS] = { 4096 };
	uint64_t step = call_loop(b, loop_tsc_step, args).value;

	if (step == UINT64_MAX)
		return job_skip(job, "the TSC does not advance");
	s->value = (double)step;
	return 0;
}

static int prepare_step(struct bench *b, const struct row *row, struct job *job)
{
	(void)b;
	(void)row;
	job->sampler = sample_step;
	return 0;
}

static int sample_core_clock(struct bench *b, struct job *job, struct sample *s)
{
	const uint64_t args[LOOP_ARGS] = { 1024 };
	double ticks = (double)call_loop(b, loop_add_chain, args).ticks - b->chain_overhead;

	if (ticks <= 0)
		return job_skip(job, "the TSC is too coarse for 65536 adds");
	s->core_hz = 1024 * 64 / ticks * b->env->facts.tsc_hz;
	s->value = s->core_hz / 1e9;
	return 0;
}

static int prepare_core_clock(struct bench *b, const struct row *row, struct job *job)
{
	(void)b;
	(void)row;
	job->sampler = sample_core_clock;
	job->min_samples = 31;
	return 0;
}

static int prepare_adds(struct bench *b, const struct row *row, struct job *job)
{
	(void)b;
	(void)row;
	job->loop = loop_add_chain;
	job->args[0] = CHAIN_ROUNDS;
	job->expect = CHAIN_ROUNDS * 64;
	job->ops = CHAIN_ROUNDS * 64;
	return 0;
}

/* 2N adds minus N adds: what both calls have in common, whatever it is, falls out. */
static int sample_delta(struct bench *b, struct job *job, struct sample *s)
{
	const uint64_t one[LOOP_ARGS] = { CHAIN_ROUNDS }, two[LOOP_ARGS] = { 2 * CHAIN_ROUNDS };
	double ticks = (double)call_loop(b, loop_add_chain, two).ticks -
		(double)call_loop(b, loop_add_chain, one).ticks;

	(void)job;
	s->value = ticks_to_ns(b, ticks) / (CHAIN_ROUNDS * 64);
	return 0;
}

static int prepare_delta(struct bench *b, const struct row *row, struct job *job)
{
	(void)b;
	(void)row;
	job->sampler = sample_delta;
	return 0;
}

/* The operating system's clock: mean cost of a call. */
static int sample_os_cost(struct bench *b, struct job *job, struct sample *s)
{
	uint64_t start = b->env->now(b->env);

	(void)job;
	for (unsigned i = 0; i < OS_READS; i++)
		b->env->os_clock_ns(b->env);
	s->value = ticks_to_ns(b, (double)(b->env->now(b->env) - start)) / OS_READS;
	return 0;
}

static int sample_os_step(struct bench *b, struct job *job, struct sample *s)
{
	uint64_t smallest = UINT64_MAX, before = b->env->os_clock_ns(b->env);

	for (unsigned i = 0; i < OS_READS; i++) {
		uint64_t now = b->env->os_clock_ns(b->env);

		if (now > before && now - before < smallest)
			smallest = now - before;
		before = now;
	}
	if (smallest == UINT64_MAX)
		return job_skip(job, "the system's clock did not advance in %u reads", OS_READS);
	s->value = (double)smallest;
	return 0;
}

static int prepare_os(struct bench *b, const struct row *row, struct job *job)
{
	if (!b->env->os_clock_ns)
		return job_skip(job, "no operating system's clock in this room");
	job->sampler = row->key[0] ? sample_os_step : sample_os_cost;
	return 0;
}

static void add(struct bench *b, const char *variant, const struct unit *unit, unsigned rank,
	int (*prepare)(struct bench *, const struct row *, struct job *), uint64_t key,
	uint32_t needs, double ops)
{
	struct row row = row_new(variant, unit, rank, prepare);

	row.key[0] = key;
	row.needs = needs;
	row.cost_ns = 50 * (b->pace.ns_per_call + ops * b->pace.ns_per_near_load);
	plan_add(b, &row);
}

/* Rows of one unit stand together: they share a table. */
void probe_clock_plan(struct bench *b, unsigned stage)
{
	if (stage != 0)
		return;
	for (unsigned i = 0; i < sizeof stamps / sizeof *stamps; i++)
		add(b, stamps[i].variant, &unit_ticks, RANK_MAIN, prepare_stamp, i, stamps[i].needs,
			STAMPS * 8);
	add(b, "step", &unit_plain_ticks, RANK_MAIN, prepare_step, 0, 0, 8192);
	for (unsigned i = 0; i < sizeof divisions / sizeof *divisions; i++)
		add(b, divisions[i].variant, &unit_ticks, RANK_USEFUL, prepare_division, i,
			divisions[i].needs, 3);
	add(b, "core-clock", &unit_ghz, RANK_NEEDED, prepare_core_clock, 0, 0, 65536);
	add(b, "adds-plain", &unit_ns_op, RANK_USEFUL, prepare_adds, 0, 0, CHAIN_ROUNDS * 64);
	add(b, "adds-delta", &unit_ns_op, RANK_USEFUL, prepare_delta, 0, 0, CHAIN_ROUNDS * 192);
	add(b, "os-clock", &unit_ns_call, RANK_USEFUL, prepare_os, 0, NEED_LINUX, OS_READS);
	add(b, "os-clock-step", &unit_ns, RANK_USEFUL, prepare_os, 1, NEED_LINUX, OS_READS);
}

static double ppm(double hz, double reference)
{
	return (hz / reference - 1) * 1e6;
}

void probe_clock_meaning(struct bench *b)
{
	const struct facts *f = &b->env->facts;

	for (unsigned i = 0; i < f->tsc_sources; i++) {
		if (f->tsc[i].hz > 0)
			say(b, "  TSC by %-20s %12.6f MHz (%s, %+.0f ppm)\n", f->tsc[i].name,
				f->tsc[i].hz / 1e6, f->tsc[i].claimed ? "claimed" : "timed",
				ppm(f->tsc[i].hz, f->tsc_hz));
		else
			say(b, "  TSC by %-20s not available\n", f->tsc[i].name);
	}
	say(b, "  The core runs at %.3f times the TSC's rate.\n", b->core_hz / f->tsc_hz);
}
