/* SPDX-License-Identifier: MIT */
/*
 * Noise: whatever takes the core away shows as a gap between two reads of the TSC in a loop that
 * does nothing else, and makes a fixed amount of work take longer.
 */
#include "probes/probe.h"

#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "probes/noise/noise_scan.h"

/* Fixed work quanta: the same work many times; a call that took longer was disturbed. */

static const struct unit unit_quantum = { "ns/quantum", SCALE_NS };

/* Parameters of a row. */
struct quanta_spec {
	uint64_t quantum_ns;
};

/* Standard deviation of n values, with n - 1; 0 for one value. */
static double noise_deviation(const double *values, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? __builtin_sqrt(sum / (double)(n - 1)) : 0;
}

/* Third standardised moment of n values, 0 where they do not vary. */
static double noise_skew(const double *values, size_t n, double mean)
{
	double second = 0, third = 0;

	for (size_t i = 0; i < n; i++) {
		double off = values[i] - mean;

		second += off * off;
		third += off * off * off;
	}
	second /= (double)n;
	third /= (double)n;
	return second > 0 ? third / (second * __builtin_sqrt(second)) : 0;
}

static void quanta_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	jsonl_number(l, "deviation", noise_deviation(values, n, sum / n));
	jsonl_number(l, "skew", noise_skew(values, n, sum / n));
}

/* Prepare as many dependent adds as take a quantum at the present core clock. */
static int prepare_quanta(struct bench *b, const struct row *row, struct job *job)
{
	double quantum_ns = (double)row_spec(row, struct quanta_spec)->quantum_ns;
	uint64_t rounds = (uint64_t)(quantum_ns * b->core_hz / 64e9);
	const uint64_t args[LOOP_ARGS] = { rounds ? rounds : 1 };

	job_call(job, loop_add_chain, 0, args);
	job->expect = job->args[0] * 64;
	job->min_samples = job->max_samples = SAMPLES_LIMIT;
	job->extra = quanta_extra;
	job->tells_disturbance = true;
	return 0;
}

/* The rows of fixed work quanta. */
static void plan_quanta(struct bench *b)
{
	static const uint64_t quanta_ns[] = { 10000, 1000000 };

	for (unsigned i = 0; i < 2; i++) {
		struct row row = row_new("quanta", &unit_quantum, ANSWER_QUANTA, prepare_quanta);

		row_spec(&row, struct quanta_spec)->quantum_ns = quanta_ns[i];
		row.cost_ns = (double)quanta_ns[i] * SAMPLES_LIMIT * 1.1;
		row_param(&row, "quantum_ns", (double)quanta_ns[i]);
		plan_add(b, &row);
	}
}

#define CPUS_WITH_ALL_ROWS 64 /* with more, no CPU has rows stolen-all and longest-all */

static const char *const threshold_of[NOISE_THRESHOLDS] = {
#define NOISE_THRESHOLD(us, whose) whose,
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
};

static const struct unit unit_ppm = { "ppm", SCALE_PLAIN };
static const struct unit unit_ns = { "ns", SCALE_PLAIN };

static const char gaps[] = "gaps", stolen[] = "stolen", longest[] = "longest";
static const char gaps_of_all[] = "gaps-all";

enum quantity { QUANTITY_GAPS, QUANTITY_STOLEN, QUANTITY_LONGEST };

/* Parameters of a row of a scan. */
struct scan_spec {
	struct gap_monitor *monitor;
	unsigned at; /* of which of the monitor's processors */
	enum quantity quantity;
};

static const struct cpu_gaps *gaps_shown(const struct row *row)
{
	const struct scan_spec *spec = row_spec(row, struct scan_spec);

	return &spec->monitor->cpus[spec->at];
}

static void extra_gaps(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned samples)
{
	gap_monitor_count(b, gaps_shown(job->row)->monitor);
	cpu_gaps_put(b, gaps_shown(job->row), l);
}

/* The row that makes the scan. */
static int prepare_gaps(struct bench *b, const struct row *row, struct job *job)
{
	struct gap_monitor *m = row_spec(row, struct scan_spec)->monitor;

	if (gap_monitor_prepare(b, job, m))
		return -1;
	job->sampler = gap_monitor_sample;
	job->extra = extra_gaps;
	job->cold = true;
	job->tells_disturbance = true;
	job->min_samples = job->max_samples = m->slices;
	job->priv = m;
	return 0;
}

/* The other rows of a scan show the values of its slices; priv points to the next one. */
static int sample_replay(struct bench *b, struct job *job, struct sample *s)
{
	double *next = job->priv;

	s->value = *next;
	job->priv = next + 1;
	return 0;
}

static int prepare_replay(struct bench *b, const struct row *row, struct job *job)
{
	const struct scan_spec *spec = row_spec(row, struct scan_spec);
	unsigned slices = spec->monitor->done;

	if (slices == 0)
		return job_skip(job, "the gap scan was not made");
	const struct cpu_gaps *g = gaps_shown(row);
	double *const values[] = { g->rate, g->stolen, g->longest_ns };

	job->sampler = sample_replay;
	job->extra = spec->quantity == QUANTITY_GAPS ? extra_gaps : NULL;
	job->cold = true;
	job->tells_disturbance = true;
	job->min_samples = job->max_samples = slices;
	job->priv = values[spec->quantity];
	return 0;
}

/* A row about the monitor's processor `at`; the one about the gaps of the first makes the scan. */
static void plan_shown(struct bench *b, struct gap_monitor *m, const char *variant,
	enum answer answer, unsigned at, enum quantity quantity)
{
	static const struct unit *const units[] = { &noise_unit_rate, &unit_ppm, &unit_ns };
	bool scans = at == 0 && quantity == QUANTITY_GAPS;
	struct row row =
		row_new(variant, units[quantity], answer, scans ? prepare_gaps : prepare_replay);

	*row_spec(&row, struct scan_spec) = (struct scan_spec){ m, at, quantity };
	row.replays = !scans;
	row.exact = true;
	row.cost_ns = scans ? m->seconds * 1e9 * 1.05 : 0;
	row_param(&row, "seconds", m->seconds);
	if (m->numbered) {
		row.needs = NEED_CPUS;
		row_param(&row, "cpu", m->first + at);
	}
	plan_add(b, &row);
}

/* numbered: of several processors, so that its rows say which. */
static struct gap_monitor *new_monitor(struct bench *b, unsigned first, unsigned n, bool numbered,
	double seconds)
{
	struct gap_monitor *m = run_alloc(b, sizeof *m);

	if (!m) {
		say(b, "  no memory for the gap scan of %u CPU(s)\n", n);
		return NULL;
	}
	m->first = first;
	m->n = n;
	m->numbered = numbered;
	m->seconds = b->opt->noise_seconds ? (double)b->opt->noise_seconds : seconds;
	if (n == 1 && b->room->facts.cpus > 1) /* for long, all CPUs are looked at together */
		m->seconds = math_min(m->seconds, NOISE_ALONE_MOST);
	return m;
}

static void plan_one(struct bench *b)
{
	static const double seconds[] = { 1, 1, 60 };
	struct gap_monitor *m = new_monitor(b, 0, 1, false, seconds[b->opt->profile]);

	if (!m)
		return;
	plan_shown(b, m, gaps, ANSWER_NOISE, 0, QUANTITY_GAPS);
	plan_shown(b, m, stolen, ANSWER_NOISE, 0, QUANTITY_STOLEN);
	plan_shown(b, m, longest, ANSWER_NOISE, 0, QUANTITY_LONGEST);
}

static void plan_all(struct bench *b)
{
	static const double seconds[] = { 1, 1, 60 };
	unsigned n = b->room->facts.cpus;
	struct gap_monitor *m = new_monitor(b, 0, n, true, seconds[b->opt->profile]);
	enum answer answer = b->opt->noise_seconds ? ANSWER_NOISE : ANSWER_NOISE_ALL;

	for (unsigned i = 0; m && i < n; i++)
		plan_shown(b, m, gaps_of_all, answer, i, QUANTITY_GAPS);
	for (unsigned i = 0; m && i < n && n <= CPUS_WITH_ALL_ROWS; i++)
		plan_shown(b, m, "stolen-all", answer, i, QUANTITY_STOLEN);
	for (unsigned i = 0; m && i < n && n <= CPUS_WITH_ALL_ROWS; i++)
		plan_shown(b, m, "longest-all", answer, i, QUANTITY_LONGEST);
}

/* A minute shared among the other CPUs, but 1 to 10 s each; the measuring CPU has its own row. */
static void plan_each(struct bench *b)
{
	unsigned n = b->room->facts.cpus;
	double each = n > 1 ? 60.0 / (n - 1) : 0, seconds = each < 1 ? 1 : each > 10 ? 10 : each;

	for (unsigned i = 1; i < n; i++) {
		struct gap_monitor *m = new_monitor(b, i, 1, true, seconds);

		if (!m)
			return;
		plan_shown(b, m, "gaps-alone", ANSWER_NOISE_EACH, 0, QUANTITY_GAPS);
	}
}

static void noise_plan(struct bench *b)
{
	plan_one(b);
	plan_all(b);
	if (b->opt->profile == PROFILE_FULL)
		plan_each(b);
	plan_quanta(b);
}

/* The scan that the first row of this variant shows; NULL: not measured. */
static const struct gap_monitor *scan_shown(const struct bench *b, const char *variant)
{
	const struct result *r = find_row(b, variant, NULL, 0);

	return r ? row_spec(r->row, struct scan_spec)->monitor : NULL;
}

/* Count the gaps that exceed each threshold. */
static void find_counts_above(struct bench *b, struct found_values *f)
{
	const struct gap_monitor *m = scan_shown(b, gaps);

	for (unsigned t = 0; m && t < NOISE_THRESHOLDS; t++)
		found(f, VALUE_noise_gaps_above + t,
			m->cpus->unrecorded ? not_resolved("more gaps than could be recorded")
					    : plain_estimate((double)m->cpus->above[t], 1),
			"noise gaps");
}

static void noise_find(struct bench *b, struct found_values *f)
{
	const struct result *rate = find_row(b, gaps, NULL, 0);
	const struct result *part = find_row(b, stolen, NULL, 0);
	const struct result *length = find_row(b, longest, NULL, 0);

	find_counts_above(b, f);
	found(f, VALUE_noise_gaps_per_second,
		rate ? plain_estimate(rate->mean, 1) : not_resolved(NOT_MEASURED), "noise gaps");
	found(f, VALUE_noise_stolen_ppm,
		part ? plain_estimate(part->mean, 1) : not_resolved(NOT_MEASURED), "noise stolen");
	found(f, VALUE_noise_longest_ns,
		length ? plain_estimate(length->max, 1) : not_resolved(NOT_MEASURED),
		"noise longest");
}

static void say_one(struct bench *b, const struct cpu_gaps *g)
{
	say(b, "  Scanned for %.1f s. The loop itself takes %.1f ns; a gap is more than %.1f ns.\n",
		ticks_to_ns(b, g->observed_ticks) / 1e9, ticks_to_ns(b, g->smallest_ticks),
		ticks_to_ns(b, g->threshold_ticks));
	for (unsigned t = 0; t < NOISE_THRESHOLDS; t++)
		say(b, "  Gaps above %5.1f us (%s): %s.\n", noise_thresholds_us[t], threshold_of[t],
			g->above[t]             ? "noisy"
				: g->unrecorded ? "not known"
						: "quiet");
	cpu_gaps_say_counts(b, g);
}

static double stolen_ppm(const struct cpu_gaps *g)
{
	return g->gap_ticks / g->observed_ticks * 1e6;
}

/*
 * Returns true if `count` events or more, where `expected` are expected by chance, have a
 * probability of less than NOISE_CHANCE: the upper tail of Poisson's distribution, from above. P(X
 * >= n) is at most P(X = n) / (1 - expected / (n + 1)): beyond n each probability is less than that
 * part of the one before.
 */
static bool noise_beyond_chance(double expected, double count)
{
	double log_p = -expected;

	if (!(count > expected))
		return false;
	if (!(expected > 0))
		return true;
	for (double i = 1; i <= count; i++)
		log_p += math_log(expected / i);
	return log_p - math_log(1 - expected / (count + 1)) < math_log(NOISE_CHANCE);
}

/*
 * Returns the number of times that a gap of one of the monitor's processors would begin within a
 * gap of another one if they were independent: for each two, the gaps of one times the part of the
 * time that the other spends in gaps.
 */
static double noise_expected_overlaps(const struct gap_monitor *m)
{
	double sum = 0;

	for (unsigned i = 0; i < m->n; i++)
		for (unsigned k = 0; k < m->n; k++)
			if (i != k && m->cpus[k].observed_ticks > 0)
				sum += (double)m->cpus[i].gaps * m->cpus[k].gap_ticks /
					m->cpus[k].observed_ticks;
	return sum;
}

/* Gaps of CPUs that have nothing to do with each other overlap as well, now and then. */
static void say_together(struct bench *b, const struct gap_monitor *m)
{
	double expected = noise_expected_overlaps(m);

	say(b,
		"  %llu times several CPUs, up to %u, were taken away together; by chance some\n"
		"  %.2g times: %s.\n",
		(unsigned long long)m->moments.count, m->moments.most, expected,
		noise_beyond_chance(expected, (double)m->moments.count)
			? "there is a common cause"
			: "it may be no more than that");
}

static void say_all(struct bench *b, const struct gap_monitor *m)
{
	const struct cpu_gaps *worst = &m->cpus[0];

	for (unsigned i = 1; i < m->n; i++)
		if (stolen_ppm(&m->cpus[i]) > stolen_ppm(worst))
			worst = &m->cpus[i];
	say(b, "  All %u CPUs: at worst %.1f ppm stolen (CPU %u), its longest gap %.2f us.\n", m->n,
		stolen_ppm(worst), worst->cpu, cpu_gaps_longest_ns(worst) / 1000);
	if (m->moments.count)
		say_together(b, m);
	else
		say(b, "  No two CPUs were taken away together.\n");
	cpu_gaps_say_counts(b, worst);
}

static void noise_meaning(struct bench *b)
{
	const struct gap_monitor *one = scan_shown(b, gaps), *all = scan_shown(b, gaps_of_all);

	if (one)
		say_one(b, &one->cpus[0]);
	if (all)
		say_all(b, all);
}

const struct hooks probe_noise = {
	.plan = noise_plan,
	.find = noise_find,
	.meaning = noise_meaning,
};
