/* SPDX-License-Identifier: MIT */
/*
 * Remedies against a system's noise, one at a time and all together: what each buys in spread.
 * The run itself is pinned and has priority; `plain` is neither.
 */
#include "probes/probe.h"

#include "engine/core_clock.h"
#include "engine/measure.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "lib/text.h"
#include "probes/states.h"

/*
 * The measuring of probe `remedies`. Noise comes and goes, so no remedy is measured at one time and
 * another one at another: blocks of samples with each of them follow one another, again and again.
 * The data lie in small pages for all but two; these have their blocks in the middle of the time.
 */

/* The code that is measured with each remedy. */
enum subject { SUBJECT_STATES, SUBJECT_CHASE, SUBJECTS };

enum {
	TRIAL_PLAIN,
	TRIAL_PINNED,
	TRIAL_NICE,
	TRIAL_FIFO,
	TRIAL_NO_TURBO,
	TRIAL_IRQS,
	TRIAL_HUGE,
	TRIAL_ALL,
	TRIALS
};

#define TRIAL_ELEMENTS 4096      /* of the state machine */
#define TRIAL_BYTES    (8 * MIB) /* of the chase: beyond L2, and more pages than a TLB holds */

/* All samples of a subject, by remedy, in the order taken. */
struct trial {
	enum subject subject;
	struct {
		char why[96]; /* why it could not be had; "": it could */
		bool huge;    /* measured in large pages */
		unsigned n;
		struct sample sample[SAMPLES_LIMIT];
		struct event_counts counted[SAMPLES_LIMIT];
	} of[TRIALS];
	double ops; /* of a sample */
	/* While it is measured: */
	uint32_t all; /* the remedies that can be had */
	loop_fn *loop;
	uint64_t args[LOOP_ARGS], expect;
	double overhead; /* ticks of a call */
	struct chain chain;
};

#define BLOCK       64 /* samples, of about 0.25 ms each: 16 ms with a remedy at a time */
#define UNRECORDED  2  /* at the begin of each */
#define ROUNDS      (SAMPLES_LIMIT / BLOCK)
#define STATES_LAPS 64
#define CHASE_LOADS 8192
#define NODE        64

static const uint32_t remedies[TRIALS] = {
	[TRIAL_PINNED] = REMEDY_PINNED,
	[TRIAL_NICE] = REMEDY_NICE,
	[TRIAL_FIFO] = REMEDY_FIFO,
	[TRIAL_NO_TURBO] = REMEDY_NO_TURBO,
	[TRIAL_IRQS] = REMEDY_IRQS,
};

/* Try each remedy alone, and note those that the system grants. */
static void try_all(struct bench *b, struct trial *t)
{
	for (unsigned i = TRIAL_PINNED; i <= TRIAL_IRQS; i++) {
		const char *why = NULL;

		if (b->room->system.remedy(b->room, remedies[i], &why))
			text_format(t->of[i].why, sizeof t->of[i].why, "%s", why);
		else
			t->all |= remedies[i];
	}
	b->room->system.remedy_end(b->room);
}

static void build_states(struct bench *b, struct trial *t, const struct arena *arena)
{
	int *data = (int *)arena->base;

	states_fill(&b->random, data, TRIAL_ELEMENTS);
	t->loop = loop_timed_call;
	t->args[0] = (uintptr_t)leaf_states;
	t->args[1] = STATES_LAPS;
	t->args[2] = (uintptr_t)data;
	t->args[3] = TRIAL_ELEMENTS;
	t->args[4] = STATES_THRESHOLD;
	t->expect = STATES_LAPS * states_value(data, TRIAL_ELEMENTS);
	t->ops = STATES_LAPS * TRIAL_ELEMENTS;
}

static int build_chase(struct bench *b, struct job *job, struct trial *t, const struct arena *arena)
{
	uint64_t nodes = TRIAL_BYTES / NODE;

	if (chain_layout(&t->chain, arena, nodes, NODE)) {
		job->arena = *arena;
		return job_too_large(job, TRIAL_BYTES);
	}
	chain_order_random(&t->chain, &b->random);
	if (job_link(b, job, &t->chain, CHAIN_POINTER))
		return -1;
	t->loop = loop_chase;
	t->args[1] = CHASE_LOADS / 16;
	t->ops = CHASE_LOADS;
	return 0;
}

static int build_subject(struct bench *b, struct job *job, struct trial *t,
	const struct arena *arena)
{
	uint64_t none[LOOP_ARGS];

	if (t->subject == SUBJECT_STATES)
		build_states(b, t, arena);
	else if (build_chase(b, job, t, arena))
		return -1;
	__builtin_memcpy(none, t->args, sizeof none);
	none[1] = 0;
	t->overhead = measure_overhead(b, t->loop, none);
	return 0;
}

/* The next stretch of the chase. */
static void step_on(struct trial *t)
{
	struct chain *c = &t->chain;
	uint64_t end = c->position + CHASE_LOADS;

	if (t->subject != SUBJECT_CHASE)
		return;
	t->args[0] = chain_at(c, CHAIN_POINTER, c->position);
	t->expect = chain_at(c, CHAIN_POINTER, end);
	c->position = end % c->nodes;
}

static int take(struct bench *b, struct job *job, struct trial *t, struct sample *s,
	struct event_counts *q)
{
	*q = (struct event_counts){ 0 };
	step_on(t);
	b->room->timed_begin(b->room, q);
	double before = core_clock_ticks(b, b->clock_turns);
	struct timed timed = call_loop(b, t->loop, t->args);
	double after = core_clock_ticks(b, b->clock_turns);
	b->room->timed_end(b->room, q);
	if (timed.value != t->expect)
		return job_disproved(job, "the loop did not return what plain C says");
	s->value = ticks_to_ns(b, (double)timed.ticks - t->overhead) / t->ops;
	core_clock_around(b, before, after, s);
	return 0;
}

/* A block with the remedies of `which`. What could be had at first may be refused later. */
static int sample_block(struct bench *b, struct job *job, struct trial *t, unsigned which)
{
	const char *why = NULL;
	struct event_counts q;
	struct sample s;
	int failed = 0;

	if (b->room->system.remedy(b->room, which == TRIAL_ALL ? t->all : remedies[which], &why)) {
		text_format(t->of[which].why, sizeof t->of[which].why, "%s", why);
		return 0;
	}
	for (unsigned i = 0; i < UNRECORDED + BLOCK && !failed; i++) {
		unsigned at = t->of[which].n;

		failed = take(b, job, t, &s, &q);
		if (i < UNRECORDED || failed || at == SAMPLES_LIMIT)
			continue;
		t->of[which].sample[at] = s;
		t->of[which].counted[at] = q;
		t->of[which].n++;
	}
	b->room->system.remedy_end(b->room);
	return failed;
}

static bool stopped(struct bench *b)
{
	return b->room->stop && b->room->stop(b->room);
}

/* Measure n rounds over all remedies that have their data in pages of this kind. */
static int rounds(struct bench *b, struct job *job, struct trial *t, bool huge, unsigned n)
{
	struct arena arena;

	if (bench_arena(b, huge ? PAGE_2M : PAGE_4K, 0, &arena))
		return job_skip(job, "no memory for an arena");
	b->arena_uses++; /* no row finds there what it left */
	if (huge && arena.page_bytes == PAGE_4K) {
		text_format(t->of[TRIAL_HUGE].why, sizeof t->of[TRIAL_HUGE].why,
			"large pages did not come");
		t->of[TRIAL_ALL].huge = false;
		return 0;
	}
	if (build_subject(b, job, t, &arena))
		return -1;
	for (unsigned round = 0; round < n; round++)
		for (unsigned i = 0; i < TRIALS && !stopped(b); i++)
			if (t->of[i].huge == huge && !t->of[i].why[0] && sample_block(b, job, t, i))
				return -1;
	return 0;
}

/*
 * Takes SAMPLES_LIMIT samples with each remedy that can be had, in turns, fewer if the run is
 * stopped. 0; -1 after job_skip or job_disproved.
 */
static int trial_measure(struct bench *b, struct job *job, struct trial *t)
{
	bool large = b->room->facts.pages & (PAGE_2M | PAGE_1G);

	try_all(b, t);
	t->of[TRIAL_HUGE].huge = true;
	t->of[TRIAL_ALL].huge = large;
	if (!large)
		text_format(t->of[TRIAL_HUGE].why, sizeof t->of[TRIAL_HUGE].why,
			"no large pages: needs transparent_hugepage or nr_hugepages");
	if (rounds(b, job, t, false, ROUNDS / 2) || (large && rounds(b, job, t, true, ROUNDS)) ||
		rounds(b, job, t, false, ROUNDS / 2))
		return -1;
	return 0;
}

static const char *const variants[SUBJECTS][TRIALS] = {
	[SUBJECT_STATES] = { "states-plain", "states-pinned", "states-nice", "states-fifo",
		"states-no-turbo", "states-irqs", "states-huge", "states-all" },
	[SUBJECT_CHASE] = { "chase-plain", "chase-pinned", "chase-nice", "chase-fifo",
		"chase-no-turbo", "chase-irqs", "chase-huge", "chase-all" },
};

/* Parameters of a row. */
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

static void remedy_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
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
	job->extra = remedy_extra;
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
static int prepare_trial(struct bench *b, const struct row *row, struct job *job)
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
	struct trial *t = b->room->system.remedy ? run_alloc(b, sizeof *t) : NULL;
	bool states = subject == SUBJECT_STATES;

	if (b->room->system.remedy && !t)
		return say(b, "  no memory for remedies\n");
	if (t)
		t->subject = subject;
	for (unsigned which = 0; which < TRIALS; which++) {
		struct row row =
			row_new(variants[subject][which], states ? &unit_ns_element : &unit_ns_load,
				ANSWER_REMEDIES, which ? prepare_shown : prepare_trial);

		row.needs = NEED_LINUX;
		row.replays = t && which;
		row.cost_ns = t && !which ? COST_NS : 0;
		*row_spec(&row, struct remedy_spec) = (struct remedy_spec){ t, which };
		row_param(&row, states ? "elements" : "bytes",
			states ? TRIAL_ELEMENTS : TRIAL_BYTES);
		plan_add(b, &row);
	}
}

static void remedies_plan(struct bench *b)
{
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	for (unsigned subject = 0; subject < SUBJECTS; subject++)
		plan_subject(b, subject);
}

/* The interquartile range over the median, of the samples that a row showed; 0 without memory. */
static double spread_of(struct bench *b, const struct result *r)
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
		r->row->unit->name, 100 * spread_of(b, r));
	if (math_finite(r->p99))
		say(b, " 99 %% below %+.0f %%,", 100 * (r->p99 / r->median - 1));
	say(b, " longest %+.0f %%\n", 100 * (r->max / r->median - 1));
}

static void remedies_meaning(struct bench *b)
{
	for (unsigned i = 0; i < SUBJECTS * TRIALS; i++) {
		const struct result *r = find_row(b, variants[i / TRIALS][i % TRIALS], NULL, 0);

		if (r && r->median > 0)
			say_row(b, r);
	}
}

const struct hooks probe_remedies = {
	.plan = remedies_plan,
	.meaning = remedies_meaning,
};
