/* SPDX-License-Identifier: MIT */
#include "engine/measure.h"

#include "engine/prefetchers.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "lib/text.h"

#define OVERHEAD_CALLS 31
#define CLOCK_ROUNDS   32    /* of 64 adds: the chain on either side of a sample, at least */
#define CLOCK_GRAINS   600.0 /* and so many steps of the TSC */
#define GRAIN_CALLS    64
#define CLOCK_MOVED    0.02
#define WARM_STEADY    0.02
#define WARM_CALLS     12
#define SAMPLES_FEWEST 7
#define SAMPLES_USUAL  256

static const uint64_t no_args[LOOP_ARGS];

double measure_overhead(struct bench *b, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	double ticks[OVERHEAD_CALLS];
	struct event_counts q;

	for (unsigned i = 0; i < 3; i++)
		call_loop(b, loop, args);
	b->env->timed_begin(b->env, &q);
	for (unsigned i = 0; i < OVERHEAD_CALLS; i++)
		ticks[i] = (double)call_loop(b, loop, args).ticks;
	b->env->timed_end(b->env, &q);
	return stats_median(ticks, OVERHEAD_CALLS);
}

/*
 * By how much the TSC advances at a time: what divides every difference seen. The smallest
 * difference would not do: reading the TSC takes longer than a fine step.
 */
static uint64_t measure_grain(struct bench *b)
{
	uint64_t grain = 0;

	for (uint64_t i = 0; i < GRAIN_CALLS && grain != 1; i++) {
		const uint64_t args[LOOP_ARGS] = { i };

		grain = math_common_divisor(call_loop(b, loop_add_chain, args).ticks, grain);
	}
	return grain ? grain : 1;
}

/* Ticks of clock_rounds * 64 dependent adds, without overhead; <= 0 when the TSC is too coarse. */
static double clock_ticks(struct bench *b)
{
	const uint64_t args[LOOP_ARGS] = { b->clock_rounds };

	return (double)call_loop(b, loop_add_chain, args).ticks - b->adds_overhead;
}

static double hz_of(const struct bench *b, double adds, double ticks)
{
	return ticks > 0 ? adds / ticks * b->env->facts.tsc_hz : 0;
}

double measure_core_hz(struct bench *b, unsigned times)
{
	double hz[64];
	struct event_counts q;

	if (times > 64)
		times = 64;
	b->adds_overhead = measure_overhead(b, loop_add_chain, no_args);
	for (unsigned i = 0; i < times; i++) {
		const uint64_t args[LOOP_ARGS] = { 1024 };

		b->env->timed_begin(b->env, &q);
		double ticks = (double)call_loop(b, loop_add_chain, args).ticks - b->adds_overhead;
		b->env->timed_end(b->env, &q);
		hz[i] = hz_of(b, 1024 * 64, ticks);
	}
	return stats_median(hz, times);
}

void measure_warm_core(struct bench *b)
{
	uint64_t start = b->env->now(b->env);
	double before = 0, hz = measure_core_hz(b, 15);

	do {
		before = hz;
		hz = measure_core_hz(b, 15);
	} while (hz > before * 1.002 &&
		ticks_to_ns(b, (double)(b->env->now(b->env) - start)) < 200e6);
	b->core_hz = hz;
	b->tsc_step_ticks = (double)measure_grain(b);
	double rounds = CLOCK_GRAINS * b->tsc_step_ticks * hz / b->env->facts.tsc_hz / 64;

	b->clock_rounds = rounds > CLOCK_ROUNDS ? (uint64_t)rounds : CLOCK_ROUNDS;
	b->empty_ticks = measure_overhead(b, loop_empty, no_args);
}

static void add_events(struct event_counts *sum, const struct event_counts *q)
{
	sum->known |= q->known;
#define EVENT(NAME, name, kind, words) sum->name += q->name;
#include "lib/event_counts.inc"
#undef EVENT
}

static bool disturbed(const struct event_counts *q, uint32_t expected)
{
	return (disturbing_events(q) & ~expected) != 0;
}

static double convert(const struct bench *b, const struct job *job, double ticks)
{
	double ns = ticks_to_ns(b, ticks);

	switch (job->row->unit->scale) {
	case SCALE_GBS:
		return ns > 0 ? job->ops / ns : 0;
	case SCALE_TICKS:
		return ticks / job->ops;
	default:
		return ns / job->ops;
	}
}

/* The clock moved if the chain before and the one after differ by more than their own grain. */
static bool clock_moved(const struct bench *b, double before, double after)
{
	double apart = before > after ? before - after : after - before;

	return apart > CLOCK_MOVED * (before + after) / 2 + 2 * b->tsc_step_ticks;
}

/* One timed call between two looks at the core clock. -1: the loop's value was wrong. */
static int sample_kernel(struct bench *b, struct job *job, double overhead, struct sample *s,
	struct event_counts *q)
{
	b->env->timed_begin(b->env, q);
	double before = clock_ticks(b);
	struct timed t = call_loop(b, job->loop, job->args);
	double after = clock_ticks(b);
	b->env->timed_end(b->env, q);

	s->value = convert(b, job, (double)t.ticks - overhead);
	s->core_hz = hz_of(b, 2.0 * (double)b->clock_rounds * 64, before + after);
	s->disturbed = disturbed(q, job->allowed_events) || clock_moved(b, before, after);
	if (t.value == job->expect)
		return 0;
	return job_disproved(job, "the loop returned %#llx, plain C says %#llx",
		(unsigned long long)t.value, (unsigned long long)job->expect);
}

static int sample_custom(struct bench *b, struct job *job, struct sample *s, struct event_counts *q)
{
	*s = (struct sample){ 0 };
	b->env->timed_begin(b->env, q);
	int failed = job->sampler(b, job, s);
	b->env->timed_end(b->env, q);
	s->disturbed |= disturbed(q, job->allowed_events);
	return failed;
}

static int sample(struct bench *b, struct job *job, double overhead, struct sample *s,
	struct event_counts *q)
{
	*q = (struct event_counts){ 0 };
	if (job->refresh)
		job->refresh(b, job);
	if (job->sampler)
		return sample_custom(b, job, s, q);
	return sample_kernel(b, job, overhead, s, q);
}

static bool late(struct bench *b, uint64_t start, double ns)
{
	return ticks_to_ns(b, (double)(b->env->now(b->env) - start)) > ns;
}

/*
 * The calls the job asks for (a full walk, say), then more until two in a row agree. The first
 * call is the proof as well: nothing is timed before it matched.
 */
static int warm_up(struct bench *b, struct job *job, double overhead, uint64_t start, double ns)
{
	unsigned calls = job->warm_calls ? job->warm_calls : 1;
	double before = 0;
	struct sample s;
	struct event_counts q;

	for (unsigned i = 0; i < calls + WARM_CALLS; i++) {
		if (sample(b, job, overhead, &s, &q))
			return -1;
		if (i == 0 && job->check && !job->check(b, job))
			return job_disproved(job, "memory is not as plain C says");
		double apart = s.value > before ? s.value - before : before - s.value;

		if (i + 1 >= calls && (apart <= WARM_STEADY * before || late(b, start, ns / 2)))
			return 0;
		before = s.value;
	}
	return 0;
}

static unsigned fewest(const struct bench *b, const struct job *job)
{
	if (job->min_samples)
		return job->min_samples;
	return b->env->samples ? b->env->samples : SAMPLES_FEWEST;
}

static unsigned most(const struct bench *b, const struct job *job)
{
	unsigned n = job->max_samples ? job->max_samples : SAMPLES_USUAL;

	if (b->env->samples && !job->max_samples)
		n = fewest(b, job);
	return n < SAMPLES_LIMIT ? n : SAMPLES_LIMIT;
}

static int repeat(struct bench *b, struct job *job, double overhead, uint64_t start, double ns,
	struct samples *out, struct result *r)
{
	unsigned check = fewest(b, job);

	for (out->n = 0; out->n < most(b, job);) {
		struct sample s;
		struct event_counts q;

		if (sample(b, job, overhead, &s, &q))
			return -1;
		out->values[out->n] = s.value;
		out->core_hz[out->n] = s.core_hz;
		out->flagged[out->n++] = s.disturbed;
		r->ops += job->ops;
		add_events(&r->events, &q);
		if (out->n < fewest(b, job))
			continue;
		if (late(b, start, ns) || (b->env->stop && b->env->stop(b->env)))
			break;
		if (out->n >= check) {
			samples_choose(out, job->tells_disturbance);
			if (samples_settled(out))
				break;
			check += check / 2;
		}
	}
	return 0;
}

enum measured measure_row(struct bench *b, const struct row *row, double budget_ns, struct job *job,
	struct samples *s, struct result *r)
{
	uint64_t start = b->env->now(b->env);
	const char *why = NULL;

	*job = (struct job){ .row = row, .ops = 1 };
	*r = (struct result){ .row = row };
	if (!machine_has(b, row->needs, &why))
		return job_skip(job, "%s", why), MEASURED_SKIPPED;
	if (row->no_prefetch && prefetch_off(b, &why))
		return job_skip(job, "%s", why), MEASURED_SKIPPED;
	if (row->page_bytes) {
		if (bench_arena(b, row->page_bytes, &job->arena))
			return job_skip(job, "no memory for an arena"), MEASURED_SKIPPED;
		r->page_bytes = job->arena.page_bytes;
		b->arena_uses++;
	}
	if (row->prepare(b, row, job))
		return MEASURED_SKIPPED;
	if (!job->sampler)
		r->overhead_ticks = measure_overhead(b, job->loop, job->empty_args);
	if ((!job->cold && warm_up(b, job, r->overhead_ticks, start, budget_ns)) ||
		repeat(b, job, r->overhead_ticks, start, budget_ns, s, r))
		return job->disproved ? MEASURED_WRONG : MEASURED_SKIPPED;
	samples_choose(s, job->tells_disturbance);
	samples_summarise(s, b->env->facts.tsc_hz, r);
	return MEASURED_OK;
}
