/* SPDX-License-Identifier: MIT */
/*
 * Remedies against a system's noise, one at a time and all together: what each buys in spread.
 * The run itself is pinned and has priority; `plain` is neither.
 */
#include "probes/probe.h"

#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "probes/remedies.h"

static const char *const variants[SUBJECTS][TRIALS] = {
	[SUBJECT_STATES] = { "states-plain", "states-pinned", "states-nice", "states-fifo",
		"states-no-turbo", "states-huge", "states-all" },
	[SUBJECT_CHASE] = { "chase-plain", "chase-pinned", "chase-nice", "chase-fifo",
		"chase-no-turbo", "chase-huge", "chase-all" },
};

/* What a row shows. */
struct remedy_spec {
	struct trial *trial;
	unsigned which;
};

/* The row's samples, one after the other. */
struct shown {
	const struct trial *trial;
	unsigned which, next;
	double *scratch;
};

static int sample_shown(struct bench *b, struct job *job, struct sample *s)
{
	struct shown *v = job->priv;

	*s = v->trial->of[v->which].sample[v->next];
	job->counted = &v->trial->of[v->which].counted[v->next++];
	return 0;
}

static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct shown *v = job->priv;
	struct stats s = stats_of(values, n, v->scratch);

	jsonl_number(l, "iqr_over_median", s.iqr / s.median);
	jsonl_number(l, "longest_over_median", s.max / s.median);
}

static int show(struct bench *b, struct job *job, const struct remedy_spec *spec)
{
	unsigned n = spec->trial ? spec->trial->of[spec->which].n : 0;
	struct shown *v = job_alloc(b, job, sizeof *v);

	if (!v)
		return -1;
	if (!spec->trial)
		return job_skip(job, "this room has no remedies");
	*v = (struct shown){ spec->trial, spec->which, 0, NULL };
	if (!n)
		return job_skip(job, "%s",
			v->trial->of[v->which].why[0] ? v->trial->of[v->which].why
						      : "the run was stopped before");
	v->scratch = job_alloc(b, job, n * sizeof *v->scratch);
	if (!v->scratch)
		return -1;
	job->sampler = sample_shown;
	job->extra = extra;
	job->cold = true;
	job->tells_disturbance = true;
	job->min_samples = job->max_samples = n;
	job->ops = v->trial->ops;
	job->priv = v;
	return 0;
}

static int prepare_shown(struct bench *b, const struct row *row, struct job *job)
{
	return show(b, job, row_spec(row, struct remedy_spec));
}

/* The first row of a subject measures all of them. */
static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct remedy_spec *spec = row_spec(row, struct remedy_spec);

	if (spec->trial && trial_measure(b, job, spec->trial))
		return -1;
	return show(b, job, spec);
}

/* 1024 samples of 0.25 ms with each remedy, and a fifth for the rest. */
#define COST_NS (TRIALS * SAMPLES_LIMIT * 0.25e6 * 1.2)

static void plan_subject(struct bench *b, enum subject subject)
{
	struct trial *t = b->room->remedy ? run_alloc(b, sizeof *t) : NULL;
	bool states = subject == SUBJECT_STATES;

	if (b->room->remedy && !t)
		return say(b, "  no memory for remedies\n");
	if (t)
		t->subject = subject;
	for (unsigned which = 0; which < TRIALS; which++) {
		struct row row =
			row_new(variants[subject][which], states ? &unit_ns_element : &unit_ns_load,
				DROP_EARLY, which ? prepare_shown : prepare);

		row.needs = NEED_LINUX;
		row.replays = t && which;
		row.cost_ns = t && !which ? COST_NS : 0;
		*row_spec(&row, struct remedy_spec) = (struct remedy_spec){ t, which };
		row_param(&row, states ? "elements" : "bytes",
			states ? TRIAL_ELEMENTS : TRIAL_BYTES);
		plan_add(b, &row);
	}
}

void probe_remedies_plan(struct bench *b)
{
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	for (unsigned subject = 0; subject < SUBJECTS; subject++)
		plan_subject(b, subject);
}

/* The interquartile range over the median, of the samples that a row showed; 0 without memory. */
static double spread(struct bench *b, const struct result *r)
{
	const struct remedy_spec *spec = row_spec(r->row, struct remedy_spec);
	unsigned n = spec->trial->of[spec->which].n;
	size_t mark = b->work.used;
	double *values = row_alloc(b, 2 * n * sizeof *values);
	struct stats s = { 0 };

	for (unsigned i = 0; values && i < n; i++)
		values[i] = spec->trial->of[spec->which].sample[i].value;
	if (values)
		s = stats_of(values, n, values + n);
	b->work.used = mark;
	return s.median > 0 ? s.iqr / s.median : 0;
}

static void say_row(struct bench *b, const struct result *r)
{
	say(b, "  %-15s %8.3f %s, half within %.1f %%,", r->row->variant, r->median,
		r->row->unit->name, 100 * spread(b, r));
	if (math_finite(r->p99))
		say(b, " 99 %% below %+.0f %%,", 100 * (r->p99 / r->median - 1));
	say(b, " longest %+.0f %%\n", 100 * (r->max / r->median - 1));
}

void probe_remedies_meaning(struct bench *b)
{
	for (unsigned i = 0; i < SUBJECTS * TRIALS; i++) {
		const struct result *r = find_row(b, variants[i / TRIALS][i % TRIALS], NULL, 0);

		if (r && r->median > 0)
			say_row(b, r);
	}
}
