/* SPDX-License-Identifier: MIT */
/* A run in one room, from the run line to the end line. */
#include <string.h>

#include "engine/bench.h"
#include "engine/core_clock.h"
#include "engine/selection.h"
#include "engine/emit.h"
#include "engine/find.h"
#include "engine/measure.h"
#include "engine/output.h"
#include "engine/levels.h"
#include "engine/plan.h"
#include "engine/prefetchers.h"
#include "engine/run_text.h"
#include "engine/table.h"
#include "infer/card.h"
#include "lib/math.h"
#include "lib/size_text.h"
#include "lib/text.h"

#define FIRST_PART  0.35 /* of the profile's time at most for what the other rows rest on */
#define TIME_PART   0.93 /* of it for rows; the rest for set-up and the summary */
#define FIRST_EDGES 0.1  /* of FIRST_PART's time for bisection, where there is one */
#define OTHER_EDGES 0.1  /* of TIME_PART's */
#define EDGE_ROUNDS 40   /* of a probe, at most: a gap of 16384 entries shrinks to one in 34 */
#define EDGE_ROWS   64   /* a row of them may take so small a part of the time for them */

/* All that a run needs, at the start of env->work; scratch memory for rows follows. */
struct session {
	uint64_t magic; /* RUNNING while a run is under way */
	struct bench bench;
	struct plan plan;
	struct emit emit;
	struct samples samples;
	struct result results[PLAN_ROWS];
	/* The table that is being printed: of which probe, and the first row that is not in it. */
	struct table table;
	const struct probe *heading;
	unsigned table_end;
};

#define NO_LIMIT 1e30 /* ns */

#define RUNNING       0x616e6563686f6963ULL
#define SESSION_BYTES ((sizeof(struct session) + PAGE_4K - 1) / PAGE_4K * PAGE_4K)

static bool chosen(const struct bench *b, const struct probe *probe)
{
	return probe_selected(b->opt->probes, probe->name);
}

/* The first rows of a probe that was not chosen are measured only if a chosen one rests on them. */
static bool wanted_first(const struct bench *b, const struct probe *probe)
{
	if (chosen(b, probe))
		return true;
	if (!(probe->needs & GIVES_LEVELS))
		return false;
	for (unsigned i = 0; i < probe_count; i++)
		if (chosen(b, &probes[i]) && (probes[i].needs & NEED_LEVELS))
			return true;
	return false;
}

static double profile_ns(const struct bench *b)
{
	return profile_seconds(b->opt->profile) * 1e9;
}

static bool stopped(struct bench *b)
{
	return b->env->stop && b->env->stop(b->env);
}

static void progress(struct bench *b, const struct row *row, unsigned at)
{
	char line[TABLE_LINE], bytes[16] = "";
	double left = profile_ns(b) - measuring_ns(b);

	if (row_get(row, "bytes", 0) > 0)
		size_text(row_get(row, "bytes", 0), bytes);
	int n = text_format(line, sizeof line, "[%u/%u] at most %.0f s left: %s %s %s", at + 1,
		b->plan->n, left > 0 ? left / 1e9 : 0, row->probe->name, row->variant, bytes);

	output_progress(b, line, n < 79 ? (size_t)n : 79);
}

static void dropped(struct bench *b, const struct row *row)
{
	char reason[96];

	text_format(reason, sizeof reason, "does not fit into the %.0f s of this profile",
		profile_seconds(b->opt->profile));
	emit_skip(b, row->probe, row, reason);
	b->unfit++;
}

/* Whether a row can go on with the table as it is. */
static bool goes_on(const struct table *t, const struct row *row)
{
	struct table wider = *t;

	return table_fit(&wider, row) && wider.ncolumns == t->ncolumns &&
		wider.variant_width == t->variant_width && wider.pages == t->pages;
}

/* Prints the title and the head that row `at` needs; fits in the rows that can share its table. */
static void head(struct session *s, unsigned at)
{
	struct bench *b = &s->bench;
	const struct probe *probe = b->plan->rows[at].probe;
	bool same = probe == s->heading;
	char line[TABLE_LINE];
	unsigned end = at;

	if (same && (at < s->table_end || goes_on(&s->table, &b->plan->rows[at])))
		return;
	if (!same)
		say_title(b, probe);
	s->heading = probe;
	table_begin(&s->table, run_mark(b));
	while (end < b->plan->n && b->plan->rows[end].probe == probe &&
		(b->plan->left_out[end] || table_fit(&s->table, &b->plan->rows[end])))
		end++;
	s->table_end = end;
	table_head(&s->table, line);
	say(b, "%s\n", line);
}

static void skip(struct bench *b, const struct row *row, const char *reason)
{
	emit_skip(b, row->probe, row, reason);
	say(b, "  %-15.15s SKIP: %s\n", row->variant, reason);
}

static void keep_result(struct bench *b, const struct table *t, const struct result *r,
	struct job *job, const struct samples *s)
{
	char line[TABLE_LINE];

	b->results[b->nresults++] = *r;
	emit_row(b, r, job, s->values, s->flagged);
	table_row(t, r, line);
	say(b, "%s\n", line);
	b->nresults -= r->row->no_prefetch; /* nothing is inferred from a row without prefetchers */
}

static void run_row(struct session *s, unsigned at, double budget_ns)
{
	struct bench *b = &s->bench;
	struct row *row = &b->plan->rows[at];
	struct job job;
	struct result result;
	size_t mark = b->work.used;

	progress(b, row, at);
	switch (measure_row(b, row, budget_ns, &job, &s->samples, &result)) {
	case MEASURED_OK:
		keep_result(b, &s->table, &result, &job, &s->samples);
		break;
	case MEASURED_WRONG:
		b->wrong++;
		/* fall through */
	case MEASURED_SKIPPED:
		b->absurd |= (uint64_t)job.absurd << (row->probe - probes);
		skip(b, row, job.skip);
	}
	if (row->no_prefetch)
		prefetch_back(b);
	b->work.used = mark;
}

/*
 * How much longer than their budgets rows have taken: 1 on a machine that is ours, more where
 * others take time away. Estimates of what is still to come are stretched by it.
 */
static double stretch(const struct bench *b)
{
	return b->budgeted_ns > 0 ? 1 + b->overrun_ns / b->budgeted_ns : 1;
}

static void run_row_within(struct session *s, unsigned at, double budget_ns)
{
	struct bench *b = &s->bench;
	double since = measuring_ns(b);

	run_row(s, at, budget_ns);
	double over = measuring_ns(b) - since - budget_ns;

	b->budgeted_ns += budget_ns;
	b->overrun_ns += over > 0 ? over : 0;
}

/* Measures the rows from `first` on. None takes more than most_ns beyond its own estimate. */
static void run_rows(struct session *s, unsigned first, double until_ns, double most_ns)
{
	struct bench *b = &s->bench;

	for (unsigned at = first; at < b->plan->n && !stopped(b); at++) {
		double left = until_ns - measuring_ns(b);
		double planned = plan_fit(b, at, left / stretch(b), dropped), share;

		if (b->plan->left_out[at])
			continue;
		head(s, at);
		share = plan_share(b->plan, at, left / stretch(b), planned);
		run_row_within(s, at, math_min(share, b->plan->rows[at].cost_ns + most_ns));
	}
}

/*
 * Bisects the edges of the probes that are wanted, one after the other, until none of them plans
 * rows, or none of those that it planned fits into the time.
 */
static void run_edges(struct session *s, bool (*want)(const struct bench *, const struct probe *),
	double until_ns)
{
	struct bench *b = &s->bench;
	double most_ns = (until_ns - measuring_ns(b)) / EDGE_ROWS;

	b->bisecting = true;
	for (unsigned i = 0; i < probe_count && bisects_edges(b->opt); i++)
		for (unsigned round = 0; round < EDGE_ROUNDS && want(b, &probes[i]); round++) {
			unsigned first = b->plan->n, measured = b->nresults;

			b->probe = &probes[i];
			b->probe->plan_edges(b);
			run_rows(s, first, until_ns, most_ns);
			if (b->nresults == measured)
				break;
		}
	b->bisecting = false;
}

static bool gives_levels(const struct bench *b, const struct probe *probe)
{
	return wanted_first(b, probe) && (probe->needs & GIVES_LEVELS);
}

static bool other_edges(const struct bench *b, const struct probe *probe)
{
	return chosen(b, probe) && !(probe->needs & GIVES_LEVELS);
}

/*
 * Plans the probes that are wanted: first their rows that others rest on, and all rows of those
 * with ALL_FIRST; in the second turn the rest.
 */
static void plan_probes(struct bench *b, bool (*want)(const struct bench *, const struct probe *),
	bool first)
{
	for (unsigned i = 0; i < probe_count; i++) {
		b->probe = &probes[i];
		if (!want(b, b->probe))
			continue;
		if (first)
			b->probe->plan_first(b);
		if (first == ((b->probe->needs & ALL_FIRST) != 0))
			b->probe->plan(b);
	}
}

static double edges_part(const struct bench *b, double part)
{
	return bisects_edges(b->opt) ? part : 0;
}

/* The rows that others rest on; from them come the sizes at which the others measure. */
static void run_first(struct session *s)
{
	struct bench *b = &s->bench;

	plan_probes(b, wanted_first, true);
	run_rows(s, 0, (1 - edges_part(b, FIRST_EDGES)) * FIRST_PART * profile_ns(b), NO_LIMIT);
	run_edges(s, gives_levels, FIRST_PART * profile_ns(b));
	for (unsigned i = 0; i < probe_count; i++) {
		b->probe = &probes[i];
		b->probe->find_first(b);
	}
	levels_set(b);
}

static void run_others(struct session *s)
{
	struct bench *b = &s->bench;
	unsigned first = b->plan->n;

	plan_probes(b, chosen, false);
	run_rows(s, first, (1 - edges_part(b, OTHER_EDGES)) * TIME_PART * profile_ns(b), NO_LIMIT);
	run_edges(s, other_edges, TIME_PART * profile_ns(b));
}

static void conclude(struct bench *b)
{
	find_all(b);
	emit_found(b);
	if (b->nresults)
		say_found(b);
	say_card(b);
}

static int refuse(struct env *env, const char *why)
{
	env->say(env, why, strlen(why));
	return 2;
}

static int start(struct session *s, struct env *env, const struct options *opt)
{
	static const uint64_t no_args[LOOP_ARGS];
	struct bench *b = &s->bench;

	__builtin_memset(s, 0, sizeof *s);
	b->env = env;
	b->opt = opt;
	b->plan = &s->plan;
	b->emit = &s->emit;
	b->results = s->results;
	/* Rows' memory begins with a page: no row depends on the last bytes of session's size. */
	b->work.base = env->work + SESSION_BYTES;
	b->work.bytes = env->work_bytes - SESSION_BYTES;
	b->start_ticks = env->now(env);
	b->found = run_alloc(b, sizeof *b->found);
	b->card = run_alloc(b, sizeof *b->card);
	if (!b->found || !b->card)
		return refuse(env, "too little memory to work in: nothing can be measured\n");
	random_seed(&b->random, opt->seed);
	if (bench_arena(b, opt->page ? opt->page : PAGE_1G, &b->arena))
		return refuse(env, "no memory for an arena: nothing can be measured\n");
	core_clock_warm(b);
	b->empty_ticks = measure_overhead(b, loop_empty, no_args);
	measure_pace(b);
	prefetch_check(b);
	s->magic = RUNNING;
	emit_run(b);
	return 0;
}

static void finish(struct session *s, const char *status, const char *why)
{
	struct bench *b = &s->bench;

	if (b->unfit)
		say(b, "\n%u row(s) left out: they do not fit into the %.0f s of this profile\n",
			b->unfit, profile_seconds(b->opt->profile));
	if (b->wrong)
		say(b, "\n%u row(s) FAILED their proof and have no number\n", b->wrong);
	emit_end(b, status, why);
	s->magic = 0;
}

int bench_run(struct env *env, const struct options *opt)
{
	struct session *s = (struct session *)env->work;
	struct bench *b = &s->bench;

	if (env->work_bytes < SESSION_BYTES + MIB)
		return refuse(env, "too little memory to work in: nothing can be measured\n");
	if (!(env->facts.tsc_hz > 0))
		return refuse(env, "no rate of the TSC: nothing can be measured\n");
	if (start(s, env, opt))
		return 2;
	say_machine(b);
	run_first(s);
	say_levels(b);
	run_others(s);
	conclude(b);
	finish(s, stopped(b) ? "interrupted" : "complete", NULL);
	return b->wrong ? 1 : 0;
}

void bench_faulted(struct env *env, const char *why)
{
	struct session *s = (struct session *)env->work;

	if (s->magic == RUNNING)
		finish(s, "faulted", why);
}
