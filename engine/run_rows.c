/* SPDX-License-Identifier: MIT */
/* The rows of a run: each measured within its time, written down, and printed. */
#include "engine/run_rows.h"

#include "engine/measure.h"
#include "engine/run_output.h"
#include "engine/points_text.h"
#include "engine/prefetchers.h"
#include "engine/run_text.h"
#include "engine/skipped.h"
#include "lib/math.h"
#include "lib/text.h"

#define KEPT_MOST 0.5 /* of the time that is left */
#define TURNS     4   /* in which rows are measured for which there seemed to be no time at first */

double profile_ns(const struct bench *b)
{
	return profile_seconds(b->opt->profile) * 1e9;
}

bool stopped(struct bench *b)
{
	return b->room->stop && b->room->stop(b->room);
}

static void progress(struct bench *b, const struct row *row, unsigned at)
{
	char line[TABLE_LINE], bytes[16] = "";
	double left = profile_ns(b) - measuring_ns(b);

	if (row_get(row, "bytes", 0) > 0)
		size_text(row_get(row, "bytes", 0), bytes);
	int n = text_format(line, sizeof line, "[%u/%u] at most %.0f s left: %s %s %s", at + 1,
		b->plan->n, left > 0 ? left / 1e9 : 0, row->probe->name, row->variant, bytes);

	output_progress(b, line, n < 79 ? (size_t)n : 79,
		math_clamp(1 - left / profile_ns(b), 0, 1));
}

static void dropped(struct bench *b, const struct row *row)
{
	char reason[96];

	text_format(reason, sizeof reason, "does not fit into the %.0f s of this profile",
		profile_seconds(b->opt->profile));
	emit_skip(b, row->probe, row, reason);
	b->no_time++;
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
		(b->plan->left_out[end] || b->plan->done[end] ||
			table_fit(&s->table, &b->plan->rows[end])))
		end++;
	s->table_end = end;
	table_head(&s->table, line);
	say(b, "%s\n", line);
}

/* Said at once is the first of a kind; all are said together in the end. */
static void skip(struct bench *b, const struct row *row, const char *reason, bool wrong)
{
	const struct skipped *s = b->skipped;
	unsigned known = s->nkinds + s->more;
	char first[TABLE_CELL];

	emit_skip(b, row->probe, row, reason);
	if (s->nkinds + s->more == known && !wrong)
		return;
	table_first(row, first);
	say(b, "  %-15.15s %6s SKIP: %s\n", row->variant, first, reason);
}

/* So that tables, sentences and summaries go by the numbers that stand in the row's line. */
static void round_as_written(struct result *r)
{
#define STATISTIC(name, when) r->name = jsonl_rounded(r->name);
#include "lib/row_statistics.inc"
#undef STATISTIC
}

static void keep_result(struct session *s, struct result *r, struct job *job)
{
	struct bench *b = &s->bench;
	char line[TABLE_LINE];

	round_as_written(r);
	b->results[b->nresults++] = *r;
	emit_row(b, r, job, s->samples.values, s->samples.flagged);
	if (!s->compact) {
		table_row(&s->table, r, line);
		say(b, "%s\n", line);
	}
	b->nresults -= r->row->no_prefetch; /* nothing is inferred from a row without prefetchers */
}

static void run_row(struct session *s, unsigned at, double budget_ns)
{
	struct bench *b = &s->bench;
	struct row *row = &b->plan->rows[at];
	struct job job;
	struct result result;
	size_t mark = b->work.used;

	b->probe = row->probe; /* for what a row says of the others of its probe */
	progress(b, row, at);
	switch (measure_row(b, row, budget_ns, &job, &s->samples, &result)) {
	case MEASURED_OK:
		keep_result(s, &result, &job);
		break;
	case MEASURED_WRONG:
		b->wrong++;
		/* fall through */
	case MEASURED_SKIPPED:
		b->no_number |= (uint64_t)job.no_number << (row->probe - probes);
		skip(b, row, job.skip, job.disproved);
	}
	if (row->no_prefetch)
		prefetch_back(b);
	b->work.used = mark;
}

/*
 * How much longer than their budgets rows have taken: 1 on a machine that is ours, more where
 * others take time away. Estimates of what is still to come are stretched by it. Rows of several
 * CPUs, which wait for each other, say nothing of the others.
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

	if (b->plan->rows[at].needs & NEED_CPUS)
		return;
	b->budgeted_ns += budget_ns;
	b->overrun_ns += over > 0 ? over : 0;
}

static double left_ns(const struct bench *b, double until_ns)
{
	return (until_ns - measuring_ns(b)) / stretch(b);
}

/*
 * Makes the arena as a row wants it; false: it is so already. Where a system gives and zeroes the
 * memory that takes seconds, which are none of the row's.
 */
static bool maps_anew(struct bench *b, const struct row *row)
{
	struct arena arena;

	if (!row->page_bytes || row->page_bytes == b->arena_page)
		return false;
	bench_arena(b, row->page_bytes, &arena);
	return true;
}

/*
 * Goes through the rows once: what was left out may come in again in the next turn. kept: only
 * through those that are kept, which may take so much of the time where they are slower than
 * estimated; the rest of them is then like any other.
 */
static void run_turn(struct session *s, unsigned first, bool kept, double until_ns, double most_ns)
{
	struct bench *b = &s->bench;
	struct plan *p = b->plan;
	double kept_until_ns = measuring_ns(b) + KEPT_MOST * (until_ns - measuring_ns(b));

	for (unsigned at = first; at < p->n && !stopped(b); at++) {
		double left = left_ns(b, until_ns), planned, share;

		if (p->done[at] || p->left_out[at] || (kept && !p->rows[at].first))
			continue;
		if (kept && measuring_ns(b) > kept_until_ns) {
			p->rows[at].first = false;
			continue;
		}
		planned = plan_fit(p, first, left);
		if (!p->left_out[at] && maps_anew(b, &p->rows[at])) {
			left = left_ns(b, until_ns);
			planned = plan_fit(p, first, left);
		}
		if (p->left_out[at])
			continue;
		if (!s->compact)
			head(s, at);
		share = plan_share(p, first, at, left, planned);
		run_row_within(s, at, math_min(share, p->rows[at].cost_ns + most_ns));
		p->done[at] = true;
	}
	s->heading = NULL; /* the next row has a head of its own */
}

/* However slow the machine is, a run measures a row if it can. */
static void run_one_at_least(struct session *s, unsigned first)
{
	struct bench *b = &s->bench;
	struct plan *p = b->plan;
	unsigned at;

	while (!b->rows && !stopped(b) && (at = plan_most_wanted(p, first)) < p->n) {
		p->left_out[at] = false;
		maps_anew(b, &p->rows[at]);
		head(s, at);
		run_row_within(s, at, p->rows[at].cost_ns);
		p->done[at] = true;
	}
	s->heading = NULL; /* the next row has a head of its own */
}

void run_rows(struct session *s, unsigned first, double until_ns, double most_ns)
{
	struct bench *b = &s->bench;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		unsigned lines = b->rows + b->skips;

		run_turn(s, first, true, until_ns, most_ns);
		run_turn(s, first, false, until_ns, most_ns);
		if (b->rows + b->skips == lines || turn + 1 == TURNS ||
			!plan_bring_back(b->plan, first))
			break;
	}
	run_one_at_least(s, first);
	for (unsigned at = first; at < b->plan->n; at++)
		if (b->plan->left_out[at])
			dropped(b, &b->plan->rows[at]);
}

unsigned keep_rows(struct session *s)
{
	s->compact = true;
	return s->bench.nresults;
}

void say_kept(struct session *s, unsigned from, const char *what)
{
	s->compact = false;
	s->heading = NULL; /* the next row has a head of its own */
	say_points(&s->bench, from, what);
}
