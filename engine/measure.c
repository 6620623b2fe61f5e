/* SPDX-License-Identifier: MIT */
#include "engine/measure.h"

#include "engine/core_clock.h"
#include "engine/prefetchers.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "lib/text.h"

#define OVERHEAD_CALLS 31
#define WARM_STEADY    0.02
#define WARM_CALLS     12
#define SAMPLES_FEWEST 7
#define SAMPLES_USUAL  256

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
		return ns > 0 ? job->ops / ns : NOT_A_NUMBER;
	case SCALE_TICKS:
		return ticks / job->ops;
	default:
		return ns / job->ops;
	}
}

/* One timed call between two looks at the core clock. -1: the loop's value was wrong. */
static int sample_kernel(struct bench *b, struct job *job, double overhead, struct sample *s,
	struct event_counts *q)
{
	b->env->timed_begin(b->env, q);
	double before = core_clock_ticks(b, b->clock_turns);
	struct timed t = call_loop(b, job->loop, job->args);
	double after = core_clock_ticks(b, b->clock_turns);
	b->env->timed_end(b->env, q);

	s->value = convert(b, job, (double)t.ticks - overhead);
	s->core_hz = core_clock_of(b, 2.0 * (double)b->clock_turns, before + after);
	s->disturbed = disturbed(q, job->allowed_events) || core_clock_moved(b, before, after);
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

/* No row has a value that is no number: a rate of 0 or of infinity was not measured. */
static int absurd(struct job *job)
{
	job->absurd = true;
	return job_skip(job,
		job->sampler ? "a sample gave no number"
			     : "a sample took no longer than the empty loop");
}

/* The TSC's step in the row's unit; 0 where that is no time of a call. */
static double step_of(const struct bench *b, const struct job *job)
{
	switch (job->row->unit->scale) {
	case SCALE_NS:
		return ticks_to_ns(b, b->tsc_step_ticks) / job->ops;
	case SCALE_TICKS:
		return b->tsc_step_ticks / job->ops;
	default:
		return 0;
	}
}

static int repeat(struct bench *b, struct job *job, double overhead, uint64_t start, double ns,
	struct samples *out, struct result *r)
{
	unsigned check = fewest(b, job);

	out->step = step_of(b, job);
	for (out->n = 0; out->n < most(b, job);) {
		struct sample s;
		struct event_counts q;

		if (sample(b, job, overhead, &s, &q))
			return -1;
		if (!math_finite(s.value))
			return absurd(job);
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
	if (!job->tells_disturbance)
		r->unsteady = samples_unsteady(s);
	return MEASURED_OK;
}
