/* SPDX-License-Identifier: MIT */
/*
 * Noise: whatever takes the core away shows as a gap between two reads of the TSC in a loop that
 * does nothing else; and fixed work takes longer when it was there.
 */
#include "probes/noise.h"

#include "probes/bench.h"
#include "probes/line.h"
#include "probes/stats.h"

#define SLICE_NS     100e6 /* one call of the scan at least; counts are read between slices */
#define ABOVE_NS     100   /* a gap is this much longer than the loop's own step */
#define EVENTS       4096  /* kept of a slice, and the longest of the whole scan */
#define SLICES_MOST  SAMPLES_LIMIT
#define THRESHOLDS   5

/* What the field accepts: hwnoise's and hwlat's defaults, OpenShift's, BITS's SMI limit. */
static const struct {
	double us;
	const char *who;
} thresholds[THRESHOLDS] = {
	{ 0.1, "the loop's own limit" },
	{ 1, "rtla hwnoise" },
	{ 10, "hwlat" },
	{ 20, "OpenShift, 12 h" },
	{ 150, "BITS" },
};

static const struct unit unit_rate = { "gaps/s", SCALE_PLAIN };
static const struct unit unit_ppm = { "ppm", SCALE_PLAIN };
static const struct unit unit_ns = { "ns", SCALE_PLAIN };
static const struct unit unit_quantum = { "ns/quantum", SCALE_NS };

/* One scan of many slices; three rows are made of it. */
struct noise {
	unsigned slices, done;
	double slice_ns;
	double threshold_ticks, smallest_ticks;
	double rate[SLICES_MOST], stolen[SLICES_MOST], longest_ns[SLICES_MOST];
	uint64_t gaps, unrecorded, reads, above[THRESHOLDS], log2[64];
	double gap_ticks, observed_ticks, blind_ticks;
	uint64_t start;
	struct longest longest;
	struct kept kept[EVENTS];
	struct gap_scan *scan;
};

static void clear(struct gap_scan *scan, uint64_t capacity)
{
	__builtin_memset(scan, 0, sizeof *scan);
	scan->capacity = capacity;
}

static void scan_for(struct bench *b, struct gap_scan *scan, double ns, double threshold)
{
	const uint64_t args[KERN_ARGS] = { (uint64_t)(uintptr_t)scan,
		(uint64_t)(ns * b->env->facts.tsc_hz / 1e9), (uint64_t)threshold };

	gate(b, kern_gaps, args);
}

/* The loop's own step, from a millisecond in which nothing counts as a gap. */
static void find_threshold(struct bench *b, struct noise *n)
{
	clear(n->scan, 0);
	scan_for(b, n->scan, 1e6, 9e18);
	n->smallest_ticks = (double)n->scan->smallest;
	n->threshold_ticks = n->smallest_ticks + ABOVE_NS * b->env->facts.tsc_hz / 1e9;
}

/* What was counted during the slice may have caused its gaps; several gaps share the suspicion. */
static uint32_t causes(const struct quiet *q)
{
	uint32_t moved = 0;

	moved |= q->smis ? QUIET_SMIS : 0;
	moved |= q->nmis ? QUIET_NMIS : 0;
	moved |= q->interrupts ? QUIET_INTERRUPTS : 0;
	moved |= q->switches ? QUIET_SWITCHES : 0;
	moved |= q->faults ? QUIET_FAULTS : 0;
	return moved & q->known;
}

static void keep_events(struct bench *b, struct noise *n, double slice_ns, uint32_t cause)
{
	const struct gap_scan *scan = n->scan;

	for (uint64_t i = 0; i < scan->recorded; i++) {
		double length = ticks_to_ns(b, (double)scan->events[i].length);
		struct kept gap = { slice_ns + ticks_to_ns(b, (double)scan->events[i].at), length,
			cause };

		longest_add(&n->longest, &gap);
		for (unsigned t = 0; t < THRESHOLDS; t++)
			n->above[t] += length > thresholds[t].us * 1000;
	}
	n->unrecorded += scan->count - scan->recorded;
}

static void add_up(struct bench *b, struct noise *n, unsigned slice)
{
	const struct gap_scan *scan = n->scan;
	double seconds = ticks_to_ns(b, (double)scan->observed) / 1e9;

	n->rate[slice] = (double)scan->count / seconds;
	n->stolen[slice] = (double)scan->total / (double)scan->observed * 1e6;
	n->longest_ns[slice] = ticks_to_ns(b, (double)scan->longest);
	n->gaps += scan->count;
	n->reads += scan->reads;
	n->gap_ticks += (double)scan->total;
	n->observed_ticks += (double)scan->observed;
	n->blind_ticks += (double)scan->blind;
	for (unsigned i = 0; i < 64; i++)
		n->log2[i] += scan->log2[i];
	if ((double)scan->smallest < n->smallest_ticks)
		n->smallest_ticks = (double)scan->smallest;
}

static int sample_gaps(struct bench *b, struct job *job, struct sample *s)
{
	struct noise *n = job->priv;
	struct quiet q = { 0 };
	double at = ticks_to_ns(b, (double)(b->env->now(b->env) - n->start));

	if (n->done == n->slices)
		return job_skip(job, "internal error: more slices than planned");
	clear(n->scan, EVENTS);
	b->env->quiet_begin(b->env, &q);
	scan_for(b, n->scan, n->slice_ns, n->threshold_ticks);
	b->env->quiet_end(b->env, &q);
	if (n->scan->reads == 0 || n->scan->total > n->scan->observed)
		return job_skip(job, "proof failed: the TSC went backwards or the scan did not run");
	keep_events(b, n, at, causes(&q));
	add_up(b, n, n->done);
	s->value = n->rate[n->done++];
	return 0;
}

static void put_events(struct line *l, const struct longest *longest)
{
	line_array(l, "events");
	for (unsigned i = 0; i < longest->n; i++) {
		line_array(l, NULL);
		line_integer(l, NULL, (uint64_t)longest->gaps[i].at_ns);
		line_integer(l, NULL, (uint64_t)longest->gaps[i].length_ns);
		line_integer(l, NULL, longest->gaps[i].cause);
		line_array_end(l);
	}
	line_array_end(l);
}

/* The 99.9th percentile of the gaps' lengths, if the kept ones reach down to it. */
static double p999(const struct noise *n)
{
	double *lengths = (double *)n->scan->events;
	uint64_t beyond = n->gaps / 1000;

	if (n->gaps == 0 || beyond >= n->longest.n)
		return __builtin_nan("");
	for (unsigned i = 0; i < n->longest.n; i++)
		lengths[i] = n->longest.gaps[i].length_ns;
	stats_sort(lengths, n->longest.n);
	return lengths[n->longest.n - 1 - beyond];
}

static double longest_of(const struct noise *n)
{
	double most = 0;

	for (unsigned i = 0; i < n->done; i++)
		most = n->longest_ns[i] > most ? n->longest_ns[i] : most;
	return most;
}

static void extra_gaps(struct bench *b, struct job *job, struct line *l, const double *values,
	unsigned samples)
{
	const struct noise *n = job->priv;

	(void)values;
	(void)samples;
	line_number(l, "observed_seconds", ticks_to_ns(b, n->observed_ticks) / 1e9);
	line_number(l, "resolution_ns", ticks_to_ns(b, n->smallest_ticks));
	line_number(l, "threshold_ns", ticks_to_ns(b, n->threshold_ticks));
	line_integer(l, "gaps", n->gaps);
	line_integer(l, "gaps_unrecorded", n->unrecorded);
	line_number(l, "stolen_ns", ticks_to_ns(b, n->gap_ticks));
	line_number(l, "blind_ns", ticks_to_ns(b, n->blind_ticks));
	line_number(l, "longest_ns", longest_of(n));
	line_number(l, "p999_ns", p999(n));
	line_array(l, "log2_ticks");
	for (unsigned i = 0; i < 64; i++)
		line_integer(l, NULL, n->log2[i]);
	line_array_end(l);
	put_events(l, &n->longest);
}

static int prepare_gaps(struct bench *b, const struct row *row, struct job *job)
{
	struct noise *n = (struct noise *)(uintptr_t)row->key[0];

	n->scan = scratch(b, sizeof *n->scan + EVENTS * sizeof(struct gap));
	if (!n->scan)
		return job_skip(job, "no scratch memory");
	n->done = 0;
	n->longest = (struct longest){ n->kept, 0, EVENTS };
	find_threshold(b, n);
	n->start = b->env->now(b->env);
	job->sampler = sample_gaps;
	job->extra = extra_gaps;
	job->cold = true;
	job->min_samples = job->max_samples = n->slices;
	job->priv = n;
	return 0;
}

/* The other rows of the same scan: one value per slice, replayed. */
static int sample_replay(struct bench *b, struct job *job, struct sample *s)
{
	const double *values = job->priv;

	(void)b;
	s->value = values[job->state[0]++];
	return 0;
}

static int prepare_replay(struct bench *b, const struct row *row, struct job *job)
{
	struct noise *n = (struct noise *)(uintptr_t)row->key[0];

	(void)b;
	if (n->done == 0)
		return job_skip(job, "the gap scan was not made");
	job->sampler = sample_replay;
	job->cold = true;
	job->min_samples = job->max_samples = n->done;
	job->priv = row->key[1] ? n->longest_ns : n->stolen;
	return 0;
}

static void extra_quanta(struct bench *b, struct job *job, struct line *l, const double *values,
	unsigned n)
{
	double sum = 0;

	(void)b;
	(void)job;
	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	line_number(l, "deviation", noise_deviation(values, n, sum / n));
	line_number(l, "skew", noise_skew(values, n, sum / n));
}

/* Fixed work quantum: as many dependent adds as fill the time at the clock that the core has. */
static int prepare_quanta(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t rounds = (uint64_t)((double)row->key[0] * b->core_hz / 64e9);

	job->kern = kern_add_chain;
	job->args[0] = rounds ? rounds : 1;
	job->expect = job->args[0] * 64;
	job->min_samples = job->max_samples = SAMPLES_LIMIT;
	job->extra = extra_quanta;
	return 0;
}

static double seconds(const struct bench *b)
{
	static const double by_profile[] = { 1, 10, 60 };

	return b->opt->noise_seconds ? (double)b->opt->noise_seconds : by_profile[b->opt->profile];
}

static void plan_scan(struct bench *b)
{
	struct noise *n = keep(b, sizeof *n);
	struct row row = row_new("gaps", &unit_rate, RANK_MAIN, prepare_gaps);

	if (!n)
		return;
	n->slices = (unsigned)(seconds(b) * 1e9 / SLICE_NS);
	n->slices = n->slices > SLICES_MOST ? SLICES_MOST : n->slices;
	n->slice_ns = seconds(b) * 1e9 / n->slices;
	row.key[0] = (uint64_t)(uintptr_t)n;
	row.cost_ns = seconds(b) * 1e9 * 1.05;
	row_param(&row, "seconds", seconds(b));
	plan_add(b, &row);
	row.prepare = prepare_replay;
	row.cost_ns = 0;
	row.variant = "stolen";
	row.unit = &unit_ppm;
	plan_add(b, &row);
	row.variant = "longest";
	row.unit = &unit_ns;
	row.key[1] = 1;
	plan_add(b, &row);
}

void probe_noise_plan(struct bench *b, unsigned stage)
{
	static const uint64_t quanta[] = { 10000, 1000000 };

	if (stage == 0)
		return;
	plan_scan(b);
	for (unsigned i = 0; i < 2; i++) {
		struct row row = row_new("quanta", &unit_quantum, RANK_USEFUL, prepare_quanta);

		row.key[0] = quanta[i];
		row.cost_ns = (double)quanta[i] * SAMPLES_LIMIT * 1.1;
		row_param(&row, "quantum_ns", (double)quanta[i]);
		plan_add(b, &row);
	}
}

static const struct noise *scanned(const struct bench *b)
{
	const struct result *r = find_result(b, "noise", "gaps", NULL, 0);

	return r ? (const struct noise *)(uintptr_t)r->row->key[0] : NULL;
}

/* Verdicts: how many gaps were longer than what each tool of the field lets pass. */
static void verdict(struct bench *b, const struct noise *n, unsigned t)
{
	static const char *const names[THRESHOLDS] = { "noise_gaps_above_0.1us",
		"noise_gaps_above_1us", "noise_gaps_above_10us", "noise_gaps_above_20us",
		"noise_gaps_above_150us" };
	double nan = __builtin_nan("");
	const struct summary s = { .name = names[t], .unit = "gaps",
		.value = n->unrecorded ? nan : (double)n->above[t], .claimed = nan,
		.confidence = n->unrecorded ? 0 : 1, .rests_on = "noise gaps",
		.reason = n->unrecorded ? "more gaps than could be recorded" : NULL };

	emit_summary(b, &s);
	say(b, "  %6.1f us (%s): %llu gap(s) above%s: %s\n", thresholds[t].us, thresholds[t].who,
		(unsigned long long)n->above[t], n->unrecorded ? " at least" : "",
		n->above[t] ? "noisy" : "quiet");
}

void probe_noise_meaning(struct bench *b)
{
	const struct noise *n = scanned(b);

	if (!n)
		return;
	say(b, "  In %.1f s: %llu gaps, %.1f ppm of the time stolen, the longest %.2f us.\n",
		ticks_to_ns(b, n->observed_ticks) / 1e9, (unsigned long long)n->gaps,
		n->gap_ticks / n->observed_ticks * 1e6, longest_of(n) / 1000);
	say(b, "  The loop itself takes %.1f ns; a gap is a step of more than %.1f ns.\n",
		ticks_to_ns(b, n->smallest_ticks), ticks_to_ns(b, n->threshold_ticks));
	for (unsigned t = 0; t < THRESHOLDS; t++)
		verdict(b, n, t);
}
