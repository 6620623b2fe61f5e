/* SPDX-License-Identifier: MIT */
#include "engine/measure.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "engine/core_clock.h"
#include "engine/calibration.h"
#include "lib/text.h"

#define UNDISTURBED_FEWEST 7
#define UNDISTURBED_LEAST  0.25
#define SPREAD_TARGET      0.005
#define FLOOR_PART         0.1
#define PERCENTILE_SAMPLES 100
#define STEADY_SAMPLES     14
#define UNSTEADY_LEAST     0.01
#define UNSTEADY_STEPS     4
#define MODE_SHARE         0.2
#define MODES_APART        5
#define DRIFT_ERRORS       4
#define MEDIAN_TO_MEAN     1.2533
#define ALIKE_MOST         0.98

/*
 * Fills chosen: the samples since `from` that were not disturbed, if there are UNDISTURBED_FEWEST
 * of them and they are UNDISTURBED_LEAST of all; else, or if `all` is set, every sample.
 */
static void samples_choose(struct samples *s, bool all)
{
	unsigned n = 0, of = s->n - s->from;

	for (unsigned i = s->from; i < s->n && !all; i++)
		if (!s->flagged[i])
			s->chosen[n++] = i;
	if (all || n < UNDISTURBED_FEWEST || n < UNDISTURBED_LEAST * of)
		for (n = 0; n < of; n++)
			s->chosen[n] = s->from + n;
	s->nchosen = n;
}

static struct stats chosen_stats(struct samples *s)
{
	for (unsigned i = 0; i < s->nchosen; i++)
		s->scratch[0][i] = s->values[s->chosen[i]];
	return stats_of(s->scratch[0], s->nchosen, s->scratch[1]);
}

/* The median of those chosen so. */
static double samples_median(struct samples *s, bool all)
{
	samples_choose(s, all);
	return chosen_stats(s).median;
}

/* Returns true if two parts of the samples differ by more than scatter of no consequence. */
static bool apart(const struct samples *s, double a, double b)
{
	double away = math_abs(a - b);

	return away > UNSTEADY_LEAST * math_abs(a + b) / 2 && away > UNSTEADY_STEPS * s->step;
}

/* The place of the widest gap between neighbours among sorted values that leaves MODE_SHARE. */
static unsigned widest_gap(const double *v, unsigned n)
{
	unsigned least = (unsigned)(MODE_SHARE * n + 1), at = least;

	for (unsigned i = least; i + least <= n; i++)
		if (v[i] - v[i - 1] > v[at] - v[at - 1])
			at = i;
	return at;
}

/*
 * Returns true if the samples split into two groups that are cleanly separated: the distance of
 * their middles over the scatter within them (Ashman, Bird and Zepf 1994, their D > 2 made
 * stricter, since the split is the best of many).
 */
static bool two_modes(struct samples *s)
{
	unsigned n = s->nchosen, at;
	struct stats low, high;
	double *v = s->scratch[0];

	for (unsigned i = 0; i < n; i++)
		v[i] = s->values[s->chosen[i]];
	stats_sort(v, n);
	at = widest_gap(v, n);
	if (v[at] == v[at - 1]) /* no gap: fewer than a mode's share are beside the others */
		return false;
	low = stats_of(v, at, s->scratch[1]);
	high = stats_of(v + at, n - at, s->scratch[1]);
	double within =
		MAD_TO_SIGMA * __builtin_sqrt((low.mad * low.mad + high.mad * high.mad) / 2);

	return apart(s, low.median, high.median) && high.median - low.median > MODES_APART * within;
}

/*
 * Returns true if the medians of the first and the last half differ by more than their standard
 * errors.
 */
static bool drifts(struct samples *s)
{
	unsigned half = s->nchosen / 2;
	struct stats part[2];

	for (unsigned p = 0; p < 2; p++) {
		for (unsigned i = 0; i < half; i++)
			s->scratch[0][i] = s->values[s->chosen[p ? s->nchosen - half + i : i]];
		part[p] = stats_of(s->scratch[0], half, s->scratch[1]);
	}
	double sigma = MAD_TO_SIGMA *
		__builtin_sqrt(part[0].mad * part[0].mad + part[1].mad * part[1].mad);

	return apart(s, part[0].median, part[1].median) &&
		math_abs(part[0].median - part[1].median) >
		DRIFT_ERRORS * MEDIAN_TO_MEAN * sigma / __builtin_sqrt(half);
}

/*
 * Why the chosen samples have no one value: "two-modes", "drift", or NULL. The row's line and
 * docs/format.md have the words, docs/method.md the rules.
 */
static const char *samples_unsteady(struct samples *s)
{
	if (s->nchosen < STEADY_SAMPLES)
		return NULL;
	if (two_modes(s))
		return "two-modes";
	return drifts(s) ? "drift" : NULL;
}

/*
 * Returns the number of independent samples that the n chosen ones count as, 1 to n: fewer if
 * neighbours are alike.
 *
 * The samples above and below the median in the order taken: how much rarer they change sides than
 * by chance (the runs test, Wald and Wolfowitz 1940) is their serial correlation r, and n samples
 * with it count as n (1 - r) / (1 + r) (Bayley and Hammersley 1946).
 */
static double samples_effective(struct samples *s)
{
	double median = chosen_stats(s).median, above = 0, below = 0, changes = 0, r;
	int before = 0;

	for (unsigned i = 0; i < s->nchosen; i++) {
		double away = s->values[s->chosen[i]] - median;
		int side = (away > 0) - (away < 0);

		if (!side)
			continue;
		above += side > 0;
		below += side < 0;
		changes += before && side != before;
		before = side;
	}
	if (above + below < STEADY_SAMPLES)
		return s->nchosen;
	r = math_clamp(1 - changes * (above + below) / (2 * above * below), 0, ALIKE_MOST);
	return s->nchosen * (1 - r) / (1 + r);
}

/*
 * Returns true if disturbed samples are in the median only because it is early: with this many
 * samples, a quarter of them undisturbed would have been enough.
 */
static bool may_clear(const struct samples *s)
{
	unsigned of = s->n - s->from;
	bool any = false;

	for (unsigned i = s->from; i < s->n; i++)
		any |= s->flagged[i];
	return any && s->nchosen == of && of < UNDISTURBED_FEWEST / UNDISTURBED_LEAST;
}

/*
 * Returns true if more samples would not say more: the chosen ones' median is known to
 * SPREAD_TARGET by samples_effective, they are steady, and enough undisturbed ones cannot come any
 * more.
 */
static bool samples_settled(struct samples *s)
{
	double effective = samples_effective(s);
	struct stats st = chosen_stats(s);

	return stats_spread(&st) * __builtin_sqrt(st.n / effective) <= SPREAD_TARGET &&
		!may_clear(s) && !samples_unsteady(s);
}

/* Cycles per operation make sense where the unit is a time per operation: of 1 of it, at 1 Hz. */
static double cycles_per_unit(const struct row *row, double tsc_hz)
{
	switch (row->unit->scale) {
	case SCALE_NS:
		return 1e-9;
	case SCALE_TICKS:
		return 1 / tsc_hz;
	default:
		return 0;
	}
}

/* The end of the sorted samples at which the machine is left alone: the fast one. */
static double fast_end(const struct row *row, const double *sorted, size_t n)
{
	bool rate = row->unit->scale == SCALE_GBS || row->unit->scale == SCALE_RATE;

	return stats_quantile(sorted, n, rate ? 1 - FLOOR_PART : FLOOR_PART);
}

/*
 * Returns the value of the quietest tenth of the chosen samples, in the row's unit or in core
 * cycles. For a difference it is the difference of the floors, because a sample is also small if
 * its control was disturbed.
 */
static double floor_of(struct samples *s, const struct row *row, bool cycles, double per_unit)
{
	double end[2];

	for (unsigned part = 0; part < 2; part++) {
		for (unsigned i = 0; i < s->nchosen; i++) {
			unsigned at = s->chosen[i];
			double sum = s->control[at] + (part ? 0 : s->values[at]);

			s->scratch[0][i] = sum * (cycles ? s->core_hz[at] * per_unit : 1);
		}
		stats_sort(s->scratch[0], s->nchosen);
		end[part] = fast_end(row, s->scratch[0], s->nchosen);
	}
	return end[0] - end[1];
}

static void set_quartiles(const double *sorted, size_t n, double out[2])
{
	out[0] = stats_quantile(sorted, n, 0.25);
	out[1] = stats_quantile(sorted, n, 0.75);
}

/* Each sample by the clock around it: the clock may move between them. */
static void set_cycles_and_parts(struct samples *s, double per_unit, struct result *r)
{
	for (unsigned i = 0; i < s->nchosen; i++) {
		unsigned at = s->chosen[i];

		s->scratch[0][i] = s->core_hz[at];
		s->scratch[1][i] = s->values[at] * s->core_hz[at] * per_unit;
	}
	r->core_hz = stats_median(s->scratch[0], s->nchosen);
	r->cycles = stats_median(s->scratch[1], s->nchosen);
	set_quartiles(s->scratch[1], s->nchosen, r->quartile_cycles);
	for (unsigned i = 0; i < s->nchosen; i++)
		s->scratch[0][i] = s->values[s->chosen[i]];
	stats_sort(s->scratch[0], s->nchosen);
	set_quartiles(s->scratch[0], s->nchosen, r->quartile);
	r->has_quartiles = true;
	r->floor = floor_of(s, r->row, false, per_unit);
	r->floor_cycles = floor_of(s, r->row, true, per_unit);
}

/*
 * The statistics of the chosen samples (n >= 1), and those of all samples, in *r. The row is
 * r->row; tsc_hz converts its ticks to core cycles. Leaves the members that are no statistics of
 * samples as they are.
 */
static void samples_summarise(struct samples *s, double tsc_hz, struct result *r)
{
	struct stats all = stats_of(s->values, s->n, s->scratch[0]), st = chosen_stats(s);

	r->samples = s->n;
	r->min = all.min;
	r->p90 = all.p90;
	r->p99 = s->n >= PERCENTILE_SAMPLES ? all.p99 : NOT_A_NUMBER;
	r->max = all.max;
	r->mean = all.mean;
	r->outliers = (double)all.outliers;
	r->p10 = st.p10;
	r->median = st.median;
	r->mad = st.mad;
	for (unsigned i = 0; i < s->n; i++)
		r->disturbed += s->flagged[i];
	r->undisturbed = s->nchosen < s->n ? s->nchosen : 0;
	set_cycles_and_parts(s, cycles_per_unit(r->row, tsc_hz), r);
}

#define OVERHEAD_CALLS 31
#define WARM_STEADY    0.02
#define WARM_CALLS     12
#define WHOLE_CALLS    4 /* of a job that leaves nothing */
#define SAMPLES_FEWEST 7
#define SAMPLES_ENOUGH 15 /* fewer do not end a row before its time does */
#define SAMPLES_USUAL  256
#define PLACEMENTS     3
#define SAMPLE_STEPS   1000  /* and so many steps of the TSC at least */
#define WALK_MOST_NS   100e6 /* of a walk after a disturbance */
#define WALKS_MOST     3     /* until one of them is not disturbed itself */

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

/*
 * One sample: a timed call of the loop between two looks at the core clock, or what the job's own
 * sampler makes of it. -1: the loop's value was wrong, or the sampler failed.
 */
static int sample(struct bench *b, struct job *job, double overhead, struct sample *s,
	struct event_counts *q)
{
	struct room *room = b->room;

	*q = (struct event_counts){ 0 };
	*s = (struct sample){ 0 };
	if (job->refresh)
		job->refresh(b, job);
	if (job->sampler) {
		room->timed_begin(room, q);
		int failed = job->sampler(b, job, s);
		room->timed_end(room, q);
		if (job->counted)
			*q = *job->counted;
		s->disturbed |= disturbed(q, job->allowed_events);
		return failed;
	}
	room->timed_begin(room, q);
	double before = core_clock_ticks(b, b->clock_turns);
	struct timed t = call_loop(b, job->loop, job->args);
	double after = core_clock_ticks(b, b->clock_turns);
	room->timed_end(room, q);

	s->value = convert(b, job, (double)t.ticks - overhead);
	core_clock_around(b, before, after, s);
	s->disturbed |= disturbed(q, job->allowed_events);
	if (t.value == job->expect)
		return 0;
	return job_disproved(job, "the loop returned %#llx, plain C says %#llx",
		(unsigned long long)t.value, (unsigned long long)job->expect);
}

static bool late(struct bench *b, uint64_t start, double ns)
{
	return ticks_to_ns(b, (double)(b->room->now(b->room) - start)) > ns;
}

/* The part of a row's time for one placement of its memory; with one placement, all of it. */
struct placement_part {
	unsigned of;     /* placements */
	uint64_t start;  /* of the row */
	double until_ns; /* since then */
	double cut_ns;   /* since then: a warm-up that is not over is given up */
};

static unsigned calls_asked(const struct job *job)
{
	return job->warm_calls ? job->warm_calls : 1;
}

/* The calls of the warm-up. */
struct warm {
	double least;     /* ns of an operation in the quickest of them */
	double whole_ops; /* of a call as it was prepared */
	double ns;        /* of those that were asked for: a walk, say */
	bool never_quiet; /* no such walk came through undisturbed: none is tried any more */
};

/*
 * A sample as short as it may be: the longer it is, the more likely is it disturbed. The quickest
 * call of the warm-up tells how long one takes.
 */
static void bound_sample(struct bench *b, struct job *job, const struct warm *warm)
{
	double most = math_max(SAMPLE_NS, SAMPLE_STEPS * ticks_to_ns(b, b->tsc_step_ticks));
	double ops = math_clamp(most / warm->least, 1, warm->whole_ops);

	if (job->resize && warm->least > 0 && (job->ops > ops || 2 * job->ops < ops))
		job->resize(b, job, ops);
}

/* The inverse of convert, for an operation. */
static double ns_of_one(const struct bench *b, const struct job *job, double value)
{
	switch (job->row->unit->scale) {
	case SCALE_GBS:
		return value > 0 ? 1 / value : 0;
	case SCALE_TICKS:
		return ticks_to_ns(b, value);
	default:
		return value;
	}
}

/* Says so; what it took tells what others like it take. Always -1. */
static int cut_short(struct bench *b, struct job *job, const struct placement_part *part)
{
	job->least_ns = ticks_to_ns(b, (double)(b->room->now(b->room) - part->start));
	return job_skip(job, "cut short at %.1f s of warming up, of %.1f s allowed",
		job->least_ns / 1e9, part->cut_ns / 1e9);
}

/*
 * The job's own walk, then the calls that it asks for, then more until two agree. The first
 * call is the proof as well: nothing is timed before it matched. The last call is left in *s, *q.
 * -1: the proof failed; 1: the last call came after those that were asked for; else 0.
 */
static int warm_up(struct bench *b, struct job *job, double overhead,
	const struct placement_part *part, struct sample *s, struct event_counts *q,
	struct warm *warm)
{
	uint64_t start = b->room->now(b->room);
	double before = 0;

	if (job->warm && job->warm(b, job))
		return -1;
	unsigned calls = calls_asked(job);

	for (unsigned i = 0; i < calls + WARM_CALLS; i++) {
		if (i < calls && late(b, part->start, part->cut_ns))
			return cut_short(b, job, part);
		if (sample(b, job, overhead, s, q))
			return -1;
		double one = ns_of_one(b, job, s->value);

		warm->least = i ? math_min(warm->least, one) : one;
		if (i + 1 == calls)
			warm->ns = ticks_to_ns(b, (double)(b->room->now(b->room) - start));
		if (job->leaves_nothing && i + 1 >= WHOLE_CALLS)
			bound_sample(b, job, warm);
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

static unsigned fewest(const struct job *job)
{
	return job->min_samples ? job->min_samples : SAMPLES_FEWEST;
}

static unsigned most(const struct job *job)
{
	unsigned n = job->max_samples ? job->max_samples : SAMPLES_USUAL;

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

/*
 * Returns true if another program, or an event that the room cannot tell from one, may have emptied
 * the caches meanwhile. A handler takes microseconds.
 */
static bool emptied(const struct sample *s, const struct event_counts *q)
{
	return s->disturbed && (!(q->known & EVENT_SWITCHES) || q->switches);
}

/*
 * Bring back, untimed, the data that a disturbance threw out of caches and predictors: the samples
 * after it, which go through other parts of the memory, would miss it. Returns -1 if the proof
 * failed.
 */
static int walk_again(struct bench *b, struct job *job, double overhead,
	const struct placement_part *part, struct warm *warm)
{
	double ops = job->ops;
	bool again = true;

	if (job->cold || job->sampler || job->flushed || warm->never_quiet ||
		warm->ns > WALK_MOST_NS)
		return 0;
	if (job->resize)
		job->resize(b, job, warm->whole_ops);
	for (unsigned walk = 0; again && walk < WALKS_MOST; walk++) {
		again = false;
		for (unsigned i = 0; i < calls_asked(job); i++) {
			struct event_counts q;
			struct sample s;

			if (late(b, part->start, part->until_ns))
				break;
			if (sample(b, job, overhead, &s, &q))
				return -1;
			again |= emptied(&s, &q);
		}
	}
	warm->never_quiet = again;
	if (job->resize)
		job->resize(b, job, ops);
	return 0;
}

/*
 * Returns true if this placement has its least number of samples; a sampler may lower that number
 * (a scan that was stopped).
 */
static bool has_least(const struct job *job, const struct placement_part *part,
	const struct samples *s)
{
	return s->n - s->from >= (fewest(job) + part->of - 1) / part->of;
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
	event_counts_add(&r->events, q);
	return 0;
}

/*
 * Gives a row the arena's memory from `offset` on, at least `bytes` of it (0: what is left of the
 * first part). A row without page_bytes gets none. 0, or -1: the arena has less.
 */
static int job_begin(struct bench *b, const struct row *row, size_t offset, uint64_t bytes,
	struct job *job)
{
	struct arena arena = { .node = NODE_UNKNOWN };

	if (row->page_bytes && bench_arena(b, row->page_bytes, bytes ? offset + bytes : 0, &arena))
		return -1;
	*job = (struct job){ .row = row, .ops = 1, .arena = arena };
	if (row->page_bytes) {
		job->arena.base += offset;
		job->arena.bytes -= offset;
	}
	return 0;
}

/*
 * Prepares the row. If it needs more of the arena than was ready, it is prepared again when that
 * is; the time that this takes is none of the row's.
 */
static int prepare(struct bench *b, struct job *job, struct placement_part *part)
{
	const struct row *row = job->row;
	size_t mark = b->work.used;

	while (row->prepare(b, row, job)) {
		uint64_t asked = job->asked, before = b->arena_ticks;

		if (!row->page_bytes || asked <= job->arena.bytes)
			return -1;
		size_t offset = (size_t)(job->arena.base - b->arena.base);
		int failed = job_begin(b, row, offset, asked, job);

		part->start += b->arena_ticks - before;
		if (failed) {
			job->arena.bytes = b->arena.bytes - offset;
			return job_too_large(job, asked);
		}
		b->work.used = mark;
	}
	return 0;
}

/*
 * One placement: prepares the row's memory, warms it up, and samples until the samples agree or the
 * time is over. If one sample is enough, the last call of the warm-up is it, unless calls that were
 * asked for end with it: then what had to be warm was not so before.
 */
static int measure_part(struct bench *b, struct job *job, struct placement_part *part,
	struct samples *out, struct result *r)
{
	unsigned check = (SAMPLES_ENOUGH + part->of - 1) / part->of;
	struct warm warm = { 0 };
	struct sample s;
	struct event_counts q;

	out->from = out->n;
	if (prepare(b, job, part))
		return -1;
	if (!job->sampler)
		r->overhead_ticks = measure_overhead(b, job->loop, job->empty_args);
	warm.whole_ops = job->ops;
	int warmed = job->cold ? 0 : warm_up(b, job, r->overhead_ticks, part, &s, &q, &warm);

	if (warmed < 0 || (warmed > 0 && most(job) == 1 && keep(&s, &q, job, out, r)))
		return -1;
	bool walk = !job->cold && emptied(&s, &q);

	bound_sample(b, job, &warm);
	out->step = step_of(b, job);
	while (out->n - out->from < most(job) / part->of) {
		if (walk && walk_again(b, job, r->overhead_ticks, part, &warm))
			return -1;
		if (sample(b, job, r->overhead_ticks, &s, &q) || keep(&s, &q, job, out, r))
			return -1;
		walk = emptied(&s, &q);
		if (!has_least(job, part, out))
			continue;
		if (!job->least_ns)
			job->least_ns =
				ticks_to_ns(b, (double)(b->room->now(b->room) - part->start));
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
 * Returns the number of placements. If the frames behind the pages come from anywhere, chance
 * decides which share sets of a cache, and one placement is one draw. Each further draw costs a
 * preparation: as many as time allows.
 */
static unsigned placements(const struct bench *b, const struct job *job, double budget_ns)
{
	bool chance = b->room->facts.frames_scattered && job->arena.page_bytes == PAGE_4K;

	return chance && budget_ns >= PLACEMENTS * job->row->cost_ns ? PLACEMENTS : 1;
}

/*
 * Other frames: the row's memory begins at another page, at most as far on as the `bytes` that its
 * first placement was given, and in the first half of the arena.
 */
static int placed_anew(struct bench *b, const struct row *row, size_t bytes, struct job *job)
{
	size_t half = b->arena.bytes / 2, span = bytes < half ? bytes : half;
	size_t pages = span / b->arena.page_bytes;
	size_t offset = pages ? random_below(&b->random, pages) * b->arena.page_bytes : 0;
	size_t rest = b->arena.bytes - offset;

	b->arena_uses += 2; /* what was built there before is not where it was */
	return job_begin(b, row, offset, bytes < rest ? bytes : rest, job);
}

/* Largest less smallest of n >= 1 values over their median; sorts them. 0 where that is 0. */
static double relative_range(double *values, size_t n)
{
	double median = stats_median(values, n);

	return median != 0 ? (values[n - 1] - values[0]) / __builtin_fabs(median) : 0;
}

/* The other placements, each with its share of the time; one that has no room there is none. */
static int measure_others(struct bench *b, struct job *job, struct placement_part *part,
	size_t mark, struct samples *s, struct result *r)
{
	double medians[PLACEMENTS] = { samples_median(s, job->tells_disturbance) };
	double share_ns = part->until_ns;
	size_t bytes = job->arena.bytes;
	unsigned n = 1;

	while (n < part->of) {
		struct result before = *r;
		struct job again;

		b->work.used = mark;
		part->until_ns += share_ns;
		if (placed_anew(b, job->row, bytes, &again) ||
			measure_part(b, &again, part, s, r)) {
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
	r->placement_spread = relative_range(medians, n);
	return job->disproved ? -1 : 0;
}

/* Returns a result with every number unknown; numbers that nobody measures are written as null. */
static struct result nothing_known(const struct row *row)
{
	enum { ALWAYS = true, IF_KNOWN = false };
	struct result r = { .row = row };

#define STATISTIC(name, when) r.name = when ? NOT_A_NUMBER : 0;
#include "lib/row_statistics.inc"
#undef STATISTIC
	r.ops = r.disturbed = r.overhead_ticks =
		0; /* counted, and no overhead if none is measured */
	return r;
}

enum measured measure_row(struct bench *b, const struct row *row, double budget_ns, double cut_ns,
	struct job *job, struct samples *s, struct result *r)
{
	struct placement_part part;
	const char *why = NULL;

	*job = (struct job){ .row = row, .ops = 1 };
	*r = nothing_known(row);
	if (!machine_has(b, row->needs, &why))
		return job_skip(job, "%s", why), MEASURED_SKIPPED;
	if (row->no_prefetch && prefetch_off(b, &why))
		return job_skip(job, "%s", why), MEASURED_SKIPPED;
	if (row->page_bytes) {
		if (job_begin(b, row, 0, 0, job))
			return job_skip(job, "no memory for an arena"), MEASURED_SKIPPED;
		r->page_bytes = job->arena.page_bytes;
		b->arena_uses++;
	}
	size_t mark = b->work.used;

	s->n = 0;
	part.start = b->room->now(b->room);
	part.of = placements(b, job, budget_ns);
	part.until_ns = budget_ns / part.of;
	part.cut_ns = cut_ns * part.of;
	if (measure_part(b, job, &part, s, r) ||
		(part.of > 1 && measure_others(b, job, &part, mark, s, r)))
		return job->disproved ? MEASURED_WRONG : MEASURED_SKIPPED;
	if (b->room->system.stayed && !b->room->system.stayed(b->room, &why))
		return job_skip(job, "%s", why), MEASURED_SKIPPED;
	samples_choose(s, job->tells_disturbance);
	samples_summarise(s, b->room->facts.tsc_hz, r);
	if (!job->tells_disturbance && part.of == 1)
		r->unsteady = samples_unsteady(s);
	return MEASURED_OK;
}
