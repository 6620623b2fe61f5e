/* SPDX-License-Identifier: MIT */
/*
 * Noise: whatever takes the core away shows as a gap between two reads of the TSC in a loop that
 * does nothing else; and fixed work takes longer when it was there.
 */
#include "probes/probe.h"
#include "probes/noise/noise_scan.h"

#include "lib/jsonl_write.h"
#include "lib/stats.h"

#define ALL_ROWS_OF 64 /* processors that have rows of stolen and longest beside their gaps */

/* What the field accepts: hwnoise's and hwlat's defaults, OpenShift's, BITS's SMI limit. */
static const char *const accepted_by[NOISE_THRESHOLDS] = { "the loop's own limit", "rtla hwnoise",
	"hwlat", "OpenShift, 12 h", "BITS" };

static const struct unit unit_rate = { "gaps/s", SCALE_PLAIN };
static const struct unit unit_ppm = { "ppm", SCALE_PLAIN };
static const struct unit unit_ns = { "ns", SCALE_PLAIN };
static const struct unit unit_quantum = { "ns/quantum", SCALE_NS };

/* What a row of a scan is about: key[0] the watch, key[1] whose eyes, key[2] one of these. */
enum { ABOUT_GAPS, ABOUT_STOLEN, ABOUT_LONGEST };

static struct watch *watch_of(const struct row *row)
{
	return (struct watch *)(uintptr_t)row->key[0];
}

static const struct seen *seen_of(const struct row *row)
{
	return &watch_of(row)->seen[row->key[1]];
}

static void put_events(struct jsonl *l, const struct longest *longest)
{
	jsonl_array(l, "events");
	for (unsigned i = 0; i < longest->n; i++) {
		jsonl_array(l, NULL);
		jsonl_integer(l, NULL, (uint64_t)longest->gaps[i].at_ns);
		jsonl_integer(l, NULL, (uint64_t)longest->gaps[i].length_ns);
		jsonl_integer(l, NULL, longest->gaps[i].cause);
		jsonl_array_end(l);
	}
	jsonl_array_end(l);
}

/* The 99.9th percentile of the gaps' lengths, if the kept ones reach down to it. */
static double p999(struct bench *b, const struct seen *s)
{
	double *lengths = row_alloc(b, s->longest.n * sizeof *lengths);
	uint64_t beyond = s->gaps / 1000;

	if (!lengths || s->gaps == 0 || beyond >= s->longest.n)
		return __builtin_nan("");
	for (unsigned i = 0; i < s->longest.n; i++)
		lengths[i] = s->longest.gaps[i].length_ns;
	stats_sort(lengths, s->longest.n);
	return lengths[s->longest.n - 1 - beyond];
}

static void put_seen(struct bench *b, struct jsonl *l, const struct seen *s)
{
	jsonl_number(l, "observed_seconds", ticks_to_ns(b, s->observed_ticks) / 1e9);
	jsonl_integer(l, "started_ticks", s->watch->started);
	jsonl_number(l, "resolution_ns", ticks_to_ns(b, s->smallest_ticks));
	jsonl_number(l, "threshold_ns", ticks_to_ns(b, s->threshold_ticks));
	jsonl_integer(l, "gaps", s->gaps);
	jsonl_integer(l, "gaps_unrecorded", s->unrecorded);
	if (s->watch->n > 1)
		jsonl_integer(l, "gaps_together", s->together);
	jsonl_number(l, "stolen_ns", ticks_to_ns(b, s->gap_ticks));
	jsonl_number(l, "blind_ns", ticks_to_ns(b, s->blind_ticks));
	jsonl_number(l, "longest_ns", seen_longest_ns(s));
	jsonl_number(l, "p999_ns", p999(b, s));
	jsonl_array(l, "log2_ticks");
	for (unsigned i = 0; i < 64; i++)
		jsonl_integer(l, NULL, s->log2[i]);
	jsonl_array_end(l);
	put_events(l, &s->longest);
}

static void extra_gaps(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned samples)
{
	(void)values;
	(void)samples;
	put_seen(b, l, seen_of(job->row));
}

static int sample_gaps(struct bench *b, struct job *job, struct sample *s)
{
	struct watch *w = job->priv;

	if (watch_slice(b, job, w))
		return -1;
	s->value = w->seen[0].rate[w->done - 1];
	if (b->env->stop && b->env->stop(b->env))
		job->min_samples = 1; /* the slices so far stand: no need to wait for all of them */
	return 0;
}

/* The row that makes the scan. */
static int prepare_gaps(struct bench *b, const struct row *row, struct job *job)
{
	struct watch *w = watch_of(row);

	if (watch_prepare(b, job, w))
		return -1;
	job->sampler = sample_gaps;
	job->extra = extra_gaps;
	job->cold = true;
	job->min_samples = job->max_samples = w->slices;
	job->priv = w;
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
	struct watch *w = watch_of(row);

	(void)b;
	if (w->done == 0)
		return job_skip(job, "the gap scan was not made");
	const struct seen *s = seen_of(row);
	double *const values[] = { s->rate, s->stolen, s->longest_ns };

	job->sampler = sample_replay;
	job->extra = row->key[2] == ABOUT_GAPS ? extra_gaps : NULL;
	job->cold = true;
	job->min_samples = job->max_samples = w->done;
	job->priv = values[row->key[2]];
	return 0;
}

static void extra_quanta(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	double sum = 0;

	(void)b;
	(void)job;
	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	jsonl_number(l, "deviation", noise_deviation(values, n, sum / n));
	jsonl_number(l, "skew", noise_skew(values, n, sum / n));
}

/* Fixed work quantum: as many dependent adds as fill the time at the clock that the core has. */
static int prepare_quanta(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t rounds = (uint64_t)((double)row->key[0] * b->core_hz / 64e9);

	job->loop = loop_add_chain;
	job->args[0] = rounds ? rounds : 1;
	job->expect = job->args[0] * 64;
	job->min_samples = job->max_samples = SAMPLES_LIMIT;
	job->extra = extra_quanta;
	return 0;
}

/* Rows of one scan; `about` is one of ABOUT_... and decides the unit. */
static void add_row(struct bench *b, struct watch *w, const char *variant, unsigned rank,
	unsigned i, unsigned about)
{
	static const struct unit *const units[] = { &unit_rate, &unit_ppm, &unit_ns };
	bool scans = i == 0 && about == ABOUT_GAPS;
	struct row row =
		row_new(variant, units[about], rank, scans ? prepare_gaps : prepare_replay);

	row.key[0] = (uint64_t)(uintptr_t)w;
	row.key[1] = i;
	row.key[2] = about;
	row.replays = !scans;
	row.cost_ns = scans ? w->seconds * 1e9 * 1.05 : 0;
	row_param(&row, "seconds", w->seconds);
	if (w->numbered) {
		row.needs = NEED_CPUS;
		row_param(&row, "cpu", w->first + i);
	}
	plan_add(b, &row);
}

/* numbered: of several processors, so that its rows say which. */
static struct watch *new_watch(struct bench *b, unsigned first, unsigned n, bool numbered,
	double seconds)
{
	struct watch *w = run_alloc(b, sizeof *w);

	if (!w) {
		say(b, "  no memory for the gap scan of %u CPU(s)\n", n);
		return NULL;
	}
	w->first = first;
	w->n = n;
	w->numbered = numbered;
	w->seconds = b->opt->noise_seconds ? (double)b->opt->noise_seconds : seconds;
	return w;
}

static void plan_one(struct bench *b)
{
	static const double seconds[] = { 1, 10, 60 };
	struct watch *w = new_watch(b, 0, 1, false, seconds[b->opt->profile]);

	if (!w)
		return;
	add_row(b, w, "gaps", RANK_MAIN, 0, ABOUT_GAPS);
	add_row(b, w, "stolen", RANK_MAIN, 0, ABOUT_STOLEN);
	add_row(b, w, "longest", RANK_MAIN, 0, ABOUT_LONGEST);
}

static void plan_all(struct bench *b)
{
	static const double seconds[] = { 1, 5, 60 };
	unsigned n = b->env->facts.cpus;
	struct watch *w = new_watch(b, 0, n, true, seconds[b->opt->profile]);

	for (unsigned i = 0; w && i < n; i++)
		add_row(b, w, "gaps-all", RANK_USEFUL, i, ABOUT_GAPS);
	for (unsigned i = 0; w && i < n && n <= ALL_ROWS_OF; i++)
		add_row(b, w, "stolen-all", RANK_USEFUL, i, ABOUT_STOLEN);
	for (unsigned i = 0; w && i < n && n <= ALL_ROWS_OF; i++)
		add_row(b, w, "longest-all", RANK_USEFUL, i, ABOUT_LONGEST);
}

/* A minute for all together; the measuring CPU has its own row. */
static void plan_each(struct bench *b)
{
	unsigned n = b->env->facts.cpus;
	double each = n > 1 ? 60.0 / (n - 1) : 0, seconds = each < 1 ? 1 : each > 10 ? 10 : each;

	for (unsigned i = 1; i < n; i++) {
		struct watch *w = new_watch(b, i, 1, true, seconds);

		if (!w)
			return;
		add_row(b, w, "gaps-alone", RANK_EXTRA, 0, ABOUT_GAPS);
	}
}

void probe_noise_plan(struct bench *b, unsigned stage)
{
	static const uint64_t quanta[] = { 10000, 1000000 };

	if (stage == 0)
		return;
	plan_one(b);
	plan_all(b);
	if (b->opt->profile == PROFILE_FULL)
		plan_each(b);
	for (unsigned i = 0; i < 2; i++) {
		struct row row = row_new("quanta", &unit_quantum, RANK_USEFUL, prepare_quanta);

		row.key[0] = quanta[i];
		row.cost_ns = (double)quanta[i] * SAMPLES_LIMIT * 1.1;
		row_param(&row, "quantum_ns", (double)quanta[i]);
		plan_add(b, &row);
	}
}

/* The scan of which a row of this variant was measured; NULL: none. */
static const struct watch *scanned(const struct bench *b, const char *variant)
{
	const struct result *r = find_result(b, "noise", variant, NULL, 0);

	return r ? watch_of(r->row) : NULL;
}

/* Verdicts: how many gaps were longer than what each tool of the field lets pass. */
static void verdict(struct bench *b, const struct seen *s, unsigned t)
{
	static const char *const names[NOISE_THRESHOLDS] = { "noise_gaps_above_0.1us",
		"noise_gaps_above_1us", "noise_gaps_above_10us", "noise_gaps_above_20us",
		"noise_gaps_above_150us" };
	double nan = __builtin_nan("");
	const struct summary summary = {
		.name = names[t],
		.unit = "gaps",
		.value = s->unrecorded ? nan : (double)s->above[t],
		.claimed = nan,
		.confidence = s->unrecorded ? 0 : 1,
		.rests_on = "noise gaps",
		.reason = s->unrecorded ? "more gaps than could be recorded" : NULL,
	};

	emit_summary(b, &summary);
	say(b, "  %6.1f us (%s): %llu gap(s) above%s: %s\n", noise_thresholds_us[t], accepted_by[t],
		(unsigned long long)s->above[t], s->unrecorded ? " at least" : "",
		s->above[t] ? "noisy" : "quiet");
}

static double stolen_ppm(const struct seen *s)
{
	return s->gap_ticks / s->observed_ticks * 1e6;
}

static void say_all(struct bench *b, const struct watch *w)
{
	const struct seen *worst = &w->seen[0];

	for (unsigned i = 1; i < w->n; i++)
		if (stolen_ppm(&w->seen[i]) > stolen_ppm(worst))
			worst = &w->seen[i];
	say(b, "  All %u CPUs: at worst %.1f ppm stolen (CPU %u), the longest %.2f us.\n", w->n,
		stolen_ppm(worst), worst->cpu, seen_longest_ns(worst) / 1000);
	if (w->moments.count)
		say(b,
			"  %llu times several CPUs, up to %u, were taken away together: one "
			"cause.\n",
			(unsigned long long)w->moments.count, w->moments.most);
	else
		say(b, "  No two CPUs were taken away together.\n");
}

void probe_noise_meaning(struct bench *b)
{
	const struct watch *one = scanned(b, "gaps"), *all = scanned(b, "gaps-all");

	if (one) {
		const struct seen *s = &one->seen[0];

		say(b,
			"  In %.1f s: %llu gaps, %.1f ppm of the time stolen, the longest %.2f "
			"us.\n",
			ticks_to_ns(b, s->observed_ticks) / 1e9, (unsigned long long)s->gaps,
			stolen_ppm(s), seen_longest_ns(s) / 1000);
		say(b, "  The loop itself takes %.1f ns; a gap is a step of more than %.1f ns.\n",
			ticks_to_ns(b, s->smallest_ticks), ticks_to_ns(b, s->threshold_ticks));
		for (unsigned t = 0; t < NOISE_THRESHOLDS; t++)
			verdict(b, s, t);
	}
	if (all)
		say_all(b, all);
}
