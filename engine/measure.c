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
#define SAMPLES_ENOUGH 15 /* fewer do not end a row before its time does */
#define SAMPLES_USUAL  256
#define PLACEMENTS     3

double measure_overhead(struct bench *b, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	double ticks[OVERHEAD_CALLS];
	struct event_counts q;

	for (unsigned i = 0; i < 3; i++)
		call_loop(b, loop, args);
	b->room->timed_begin(b->room, &q);
	for (unsigned i = 0; i < OVERHEAD_CALLS; i++)
		ticks[i] = (double)call_loop(b, loop, args).ticks;
	b->room->timed_end(b->room, &q);
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
static int sample_loop(struct bench *b, struct job *job, double overhead, struct sample *s,
	struct event_counts *q)
{
	b->room->timed_begin(b->room, q);
	double before = core_clock_ticks(b, b->clock_turns);
	struct timed t = call_loop(b, job->loop, job->args);
	double after = core_clock_ticks(b, b->clock_turns);
	b->room->timed_end(b->room, q);

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
	b->room->timed_begin(b->room, q);
	int failed = job->sampler(b, job, s);
	b->room->timed_end(b->room, q);
	if (job->counted)
		*q = *job->counted;
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
	return sample_loop(b, job, overhead, s, q);
}

static bool late(struct bench *b, uint64_t start, double ns)
{
	return ticks_to_ns(b, (double)(b->room->now(b->room) - start)) > ns;
}

/* What a row may take of one placement of its memory, which is all where there is one. */
struct part {
	unsigned of;     /* placements */
	uint64_t start;  /* of the row */
	double until_ns; /* since then */
};

/*
 * The calls the job asks for (a full walk, say), then more until two in a row agree. The first
 * call is the proof as well: nothing is timed before it matched. The last call is left in *s, *q.
 * -1: the proof failed; 1: the last call came after those that were asked for; else 0.
 */
static int warm_up(struct bench *b, struct job *job, double overhead, const struct part *part,
	struct sample *s, struct event_counts *q)
{
	unsigned calls = job->warm_calls ? job->warm_calls : 1;
	double before = 0;

	for (unsigned i = 0; i < calls + WARM_CALLS; i++) {
		if (sample(b, job, overhead, s, q))
			return -1;
		if (i == 0 && job->check && !job->check(b, job))
			return job_disproved(job, "memory is not as plain C says");
		double apart = math_abs(s->value - before);

		if (i + 1 >= calls &&
			(apart <= WARM_STEADY * before || late(b, part->start, part->until_ns / 2)))
			return i + 1 > calls;
		before = s->value;
	}
	return 1;
}

static unsigned fewest(const struct bench *b, const struct job *job)
{
	if (job->min_samples)
		return job->min_samples;
	return b->room->samples ? b->room->samples : SAMPLES_FEWEST;
}

static unsigned most(const struct bench *b, const struct job *job)
{
	unsigned n = job->max_samples ? job->max_samples : SAMPLES_USUAL;

	if (b->room->samples && !job->max_samples)
		n = fewest(b, job);
	return n < SAMPLES_LIMIT ? n : SAMPLES_LIMIT;
}

/* No row has a value that is no number: a rate of 0 or of infinity was not measured. */
static int no_number(struct job *job)
{
	job->no_number = true;
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

/* Whether this placement has its least; a sampler may lower that (a scan that was stopped). */
static bool has_least(const struct bench *b, const struct job *job, const struct part *part,
	const struct samples *s)
{
	return s->n - s->from >= (fewest(b, job) + part->of - 1) / part->of;
}

static int keep(const struct sample *s, const struct event_counts *q, struct job *job,
	struct samples *out, struct result *r)
{
	if (!math_finite(s->value))
		return no_number(job);
	out->values[out->n] = s->value;
	out->control[out->n] = s->control;
	out->core_hz[out->n] = s->core_hz;
	out->flagged[out->n++] = s->disturbed;
	r->ops += job->ops;
	add_events(&r->events, q);
	return 0;
}

static int repeat(struct bench *b, struct job *job, double overhead, const struct part *part,
	struct samples *out, struct result *r)
{
	unsigned check = (SAMPLES_ENOUGH + part->of - 1) / part->of;

	out->step = step_of(b, job);
	while (out->n - out->from < most(b, job) / part->of) {
		struct sample s;
		struct event_counts q;

		if (sample(b, job, overhead, &s, &q) || keep(&s, &q, job, out, r))
			return -1;
		if (!has_least(b, job, part, out))
			continue;
		if (late(b, part->start, part->until_ns) ||
			(b->room->stop && b->room->stop(b->room)))
			break;
		if (out->n - out->from >= check) {
			samples_choose(out, job->tells_disturbance);
			if (samples_settled(out))
				break;
			check = (out->n - out->from) * 3 / 2;
		}
	}
	return 0;
}

/*
 * One placement. Where nothing can disturb a sample, the last call of the warm-up is as good as any
 * and is the first sample, if all that had to be warm was so before: a simulator's time is dear.
 */
static int measure_part(struct bench *b, struct job *job, const struct part *part,
	struct samples *s, struct result *r)
{
	struct sample last;
	struct event_counts q;

	s->from = s->n;
	if (job->row->prepare(b, job->row, job))
		return -1;
	if (!job->sampler)
		r->overhead_ticks = measure_overhead(b, job->loop, job->empty_args);
	int warm = job->cold ? 0 : warm_up(b, job, r->overhead_ticks, part, &last, &q);

	if (warm < 0 || (warm > 0 && b->room->samples == 1 && keep(&last, &q, job, s, r)))
		return -1;
	return repeat(b, job, r->overhead_ticks, part, s, r);
}

/*
 * Where the frames behind the pages come from anywhere, which of them share sets of a cache is
 * chance, and one placement is one draw. Another draw costs another preparation: as time allows.
 */
static unsigned placements(const struct bench *b, const struct job *job, double budget_ns)
{
	bool chance = b->room->facts.frames_scattered && job->arena.page_bytes == PAGE_4K;

	return chance && budget_ns >= PLACEMENTS * job->row->cost_ns ? PLACEMENTS : 1;
}

/* Other frames: the row's memory begins at another page, in the first half of the arena. */
static struct job placed_anew(struct bench *b, const struct row *row)
{
	size_t pages = b->arena.bytes / b->arena.page_bytes / 2;
	size_t offset = pages ? random_below(&b->random, pages) * b->arena.page_bytes : 0;
	struct job job = { .row = row, .ops = 1, .arena = b->arena };

	job.arena.base += offset;
	job.arena.bytes -= offset;
	b->arena_uses += 2; /* what was built there before is not where it was */
	return job;
}

/* The other placements, each with its share of the time; one that has no room there is none. */
static int measure_others(struct bench *b, struct job *job, struct part *part, size_t mark,
	struct samples *s, struct result *r)
{
	double medians[PLACEMENTS] = { samples_median(s, job->tells_disturbance) };
	double share_ns = part->until_ns;
	unsigned n = 1;

	while (n < part->of) {
		struct job again = placed_anew(b, job->row);
		struct result before = *r;

		b->work.used = mark;
		part->until_ns += share_ns;
		if (measure_part(b, &again, part, s, r)) {
			s->n = s->from;
			*r = before;
			if (again.disproved)
				*job = again;
			break;
		}
		*job = again;
		medians[n++] = samples_median(s, job->tells_disturbance);
	}
	b->arena_uses += 2;
	s->from = 0;
	r->placements = n;
	r->placement_spread = stats_range(medians, n);
	return job->disproved ? -1 : 0;
}

static int measure_placed(struct bench *b, struct job *job, struct part *part, double budget_ns,
	struct samples *s, struct result *r)
{
	size_t mark = b->work.used;

	s->n = 0;
	part->of = placements(b, job, budget_ns);
	part->until_ns = budget_ns / part->of;
	if (measure_part(b, job, part, s, r))
		return -1;
	return part->of > 1 ? measure_others(b, job, part, mark, s, r) : 0;
}

enum measured measure_row(struct bench *b, const struct row *row, double budget_ns, struct job *job,
	struct samples *s, struct result *r)
{
	struct part part = { .start = b->room->now(b->room) };
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
	if (measure_placed(b, job, &part, budget_ns, s, r))
		return job->disproved ? MEASURED_WRONG : MEASURED_SKIPPED;
	samples_choose(s, job->tells_disturbance);
	samples_summarise(s, b->room->facts.tsc_hz, r);
	if (!job->tells_disturbance && part.of == 1)
		r->unsteady = samples_unsteady(s);
	return MEASURED_OK;
}
