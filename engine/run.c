/* SPDX-License-Identifier: MIT */
/*
 * A run in one room, from the run line to the end line: its rows are each measured within their
 * time, written down and printed.
 */
#include <string.h>

#include "engine/measure.h"
#include "engine/doubts.h"
#include "engine/emit.h"
#include "engine/table.h"
#include "engine/calibration.h"
#include "engine/run_text.h"
#include "lib/math.h"
#include "lib/text.h"
#include "engine/find.h"
#include "engine/bench.h"
#include "engine/core_clock.h"
#include "engine/answers.h"
#include "engine/plan.h"
#include "engine/source_rows.h"
#include "engine/plan_time.h"
#include "engine/plan_trial.h"
#include "engine/levels.h"
#include "engine/infer/card.h"
#include "engine/options.h"
#include "engine/witnesses.h"
#include "engine/skipped.h"
#include "engine/probe_api.h"

/* All that a run needs, at the start of room->work; scratch memory for rows follows. */
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
	bool calibrated;           /* rows can be planned: the run was not stopped before */
	unsigned no_time[ANSWERS]; /* rows left out for time */
	struct card *first_card;   /* NULL: none was printed */
};

/* The rows of the plan from `first` on, to be measured together. */
struct row_batch {
	unsigned first;
	double until_ns;    /* of the run's time */
	double most_ns;     /* that a row may take beyond its own estimate */
	double row_most_ns; /* of a core answer, at most; 0: no limit */
	bool points; /* complete curves: any may be left out, and all are printed in the end */
};

#define LONG_ROW 0.01 /* of the profile's time, estimated: more is a long row */

/* In which rows are measured for which there seemed to be no time at first. */
#define TURNS 4

/* Returns the most time of the run, in ns: the profile's, or the time of a source's rows. */
static double profile_ns(const struct bench *b)
{
	return b->opt->source ? b->source_ns : profile_seconds(b->opt) * 1e9;
}

static double run_ns(const struct bench *b)
{
	return profile_ns(b) + b->exact_ns;
}

/* The scans of noise are as long as asked for, and that is not taken from the other rows. */
static void allow_exact(struct bench *b)
{
	for (unsigned i = 0; i < b->plan->n && b->opt->noise_seconds; i++)
		b->exact_ns += b->plan->rows[i].exact ? b->plan->rows[i].cost_ns : 0;
}

static bool stopped(struct bench *b)
{
	return b->room->stop && b->room->stop(b->room);
}

/* Calls fn(arg). Returns false if it was abandoned, because the run is to end. */
static bool finishes(struct bench *b, void (*fn)(void *), void *arg)
{
	if (b->room->abandonable)
		return !b->room->abandonable(b->room, fn, arg);
	fn(arg);
	return true;
}

/* Time since the start of the run without what output and arenas took. */
static double measuring_ns(const struct bench *b)
{
	uint64_t ticks = b->room->now(b->room) - b->start_ticks - b->output_ticks - b->arena_ticks;

	return ticks_to_ns(b, (double)ticks);
}

static void progress(struct bench *b, const struct row *row)
{
	char line[TABLE_LINE], size[16] = "", run[24] = "", time[TIME_LEFT];
	double left = math_max(run_ns(b) - measuring_ns(b), 0);

	b->started++;
	if (row_get(row, "bytes", 0) > 0)
		size_text(row_get(row, "bytes", 0), size);
	if (b->opt->runs > 1)
		text_format(run, sizeof run, ", run %u of %u", b->opt->run, (unsigned)b->opt->runs);
	time_left_text(b, left, time);
	int n = text_format(line, sizeof line, "row %u%s%s: %s %s %s", b->started, run, time,
		row->probe->name, row->variant, size);
	uint64_t since = b->room->now(b->room);

	if (!b->room->progress)
		return;
	if (*time)
		b->part_over = math_clamp(1 - left / run_ns(b), 0, 1);
	b->room->progress(b->room, line, n < 79 ? (size_t)n : 79, b->part_over);
	b->output_ticks += b->room->now(b->room) - since;
}

static void dropped(struct session *s, const struct row *row)
{
	struct bench *b = &s->bench;
	char reason[96];

	text_format(reason, sizeof reason, "does not fit into the %.0f s of this profile",
		profile_ns(b) / 1e9);
	emit_skip(b, row->probe, row, NULL, reason);
	s->no_time[row->answer]++;
}

/* Returns true if a row can continue the table as it is. */
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
	s->heading = probe;
	table_begin(&s->table, facts_mark(&b->room->facts));
	if (!same) {
		table_title(&s->table, probe->name, probe->what, line);
		say(b, "\n%s\n", line);
	}
	while (end < b->plan->n && b->plan->rows[end].probe == probe &&
		(b->plan->left_out[end] || b->plan->done[end] ||
			table_fit(&s->table, &b->plan->rows[end])))
		end++;
	s->table_end = end;
	table_head(&s->table, line);
	say(b, "%s\n", line);
}

/* Said at once is the first of a kind; all are said together in the end. */
static void skip(struct bench *b, const struct row *row, struct job *job)
{
	const struct skipped *s = b->skipped;
	unsigned known = s->nkinds + s->more;
	char first[TABLE_CELL];

	emit_skip(b, row->probe, row, job, job->skip);
	if (s->nkinds + s->more == known && !job->disproved)
		return;
	table_first(row, first);
	say(b, "  %-15.15s %6s SKIP: %s\n", row->variant, first, job->skip);
}

/* Round as the result line does, so that tables, sentences and summaries agree with it. */
static void round_as_written(struct result *r)
{
#define STATISTIC(name, when) r->name = jsonl_rounded(r->name);
#include "lib/row_statistics.inc"
#undef STATISTIC
}

static void keep_result(struct session *s, struct result *r, struct job *job, bool points)
{
	struct bench *b = &s->bench;
	char line[TABLE_LINE];

	round_as_written(r);
	b->results[b->nresults++] = *r;
	emit_row(b, r, job, s->samples.values, s->samples.flagged);
	if (!points) {
		table_row(&s->table, r, line);
		say(b, "%s\n", line);
	}
	b->nresults -= r->row->no_prefetch; /* nothing is inferred from a row without prefetchers */
}

/* A call of measure_row, and what came of it. */
struct row_call {
	struct session *session;
	const struct row *row;
	double budget_ns;
	struct job job;
	struct result result;
	enum measured came;
};

#define CUT_TIMES 3    /* a row's estimate: one that is still warming up then is given up, */
#define CUT_LEAST 0.01 /* if it took so much of the profile's time */

static void call_measure_row(void *arg)
{
	struct row_call *c = arg;
	struct bench *b = &c->session->bench;

	/* That others were quicker than estimated is no reason to give up this one sooner. */
	double cost = math_max(plan_cost(b->plan, c->row), c->row->cost_ns);
	double cut = math_max(CUT_TIMES * cost, CUT_LEAST * profile_ns(b));

	c->came = measure_row(b, c->row, c->budget_ns, cut, &c->job, &c->session->samples,
		&c->result);
}

/*
 * Measures a row, emits its line or why it has none; the rows to come learn what it took. A row
 * that the end of the run cut short has no line: nothing is known of it.
 */
static void run_row(struct session *s, unsigned at, double budget_ns, bool points)
{
	struct bench *b = &s->bench;
	struct row *row = &b->plan->rows[at];
	struct row_call call = { .session = s, .row = row, .budget_ns = budget_ns };
	size_t mark = b->work.used;

	if (b->room->start_siblings)
		b->room->start_siblings(b->room, row->needs & (NEED_CPUS | ALL_STARTED));
	b->probe = row->probe; /* for what a row says of the others of its probe */
	progress(b, row);
	bool finished = finishes(b, call_measure_row, &call);

	if (finished && call.came == MEASURED_OK) {
		keep_result(s, &call.result, &call.job, points);
	} else if (finished && (call.came == MEASURED_WRONG || !stopped(b))) {
		b->wrong += call.came == MEASURED_WRONG;
		b->no_number |= (uint64_t)call.job.no_number << (row->probe - probes);
		skip(b, row, &call.job);
	}
	if (row->no_prefetch)
		prefetch_back(b);
	b->work.used = mark;
	if (finished && call.job.least_ns > 0)
		plan_learn(b->plan, row, call.job.least_ns);
}

/* Measures row `at` of the batch, unless it is done or left out, or there is no time for it. */
static void run_planned(struct session *s, const struct row_batch *rows, unsigned at)
{
	struct plan *p = s->bench.plan;
	double left = rows->until_ns - measuring_ns(&s->bench), planned, share;

	if (p->done[at] || p->left_out[at] || (p->waiting && p->rows[at].answer >= p->waiting))
		return;
	planned = plan_fit(p, rows->first, left, rows->row_most_ns, rows->points);
	if (p->left_out[at])
		return;
	if (!rows->points)
		head(s, at);
	share = plan_share(p, rows->first, at, left, planned);
	run_row(s, at, math_min(share, plan_cost(p, &p->rows[at]) + rows->most_ns), rows->points);
	p->done[at] = true;
}

/* Mark answers that contain a long row: on a busy machine it may overrun its estimate. */
static void find_long(struct session *s, unsigned from, bool is_long[ANSWERS])
{
	const struct plan *p = &s->plan;
	double ns = LONG_ROW * profile_ns(&s->bench);

	for (unsigned at = from; at < p->n; at++)
		is_long[p->rows[at].answer] |=
			!p->rows[at].exact && !p->left_out[at] && plan_cost(p, &p->rows[at]) > ns;
}

/*
 * Goes through the rows once: what was left out may come in again in the next turn. Answers without
 * long rows are measured probe by probe; then the others in the order of their importance.
 */
static void run_turn(struct session *s, const struct row_batch *rows)
{
	struct plan *p = &s->plan;
	bool is_long[ANSWERS] = { false };

	if (!rows->points)
		find_long(s, rows->first, is_long);
	for (unsigned at = rows->first; at < p->n && !stopped(&s->bench); at++)
		if (!is_long[p->rows[at].answer])
			run_planned(s, rows, at);
	for (unsigned a = 0; a < ANSWERS; a++)
		for (unsigned at = rows->first; is_long[a] && at < p->n && !stopped(&s->bench);
			at++)
			if (p->rows[at].answer == a)
				run_planned(s, rows, at);
	s->heading = NULL; /* the next row has a head of its own */
}

/* However slow the machine is, a run measures a row if it can. */
static void run_one_at_least(struct session *s, const struct row_batch *rows)
{
	struct bench *b = &s->bench;
	struct plan *p = b->plan;
	unsigned at;

	while (!b->rows && !stopped(b) && (at = plan_most_wanted(p, rows->first)) < p->n) {
		p->left_out[at] = false;
		head(s, at);
		run_row(s, at, plan_cost(p, &p->rows[at]), rows->points);
		p->done[at] = true;
	}
	s->heading = NULL; /* the next row has a head of its own */
}

/* Measures those of the batch for which there is time. */
static void run_rows(struct session *s, const struct row_batch *rows)
{
	struct bench *b = &s->bench;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		unsigned lines = b->rows + b->skips;

		run_turn(s, rows);
		if (b->rows + b->skips == lines || turn + 1 == TURNS ||
			!plan_bring_back(b->plan, rows->first))
			break;
	}
	run_one_at_least(s, rows);
}

/* Give up the rows left out from row `first` on. */
static void give_up(struct session *s, unsigned first)
{
	struct plan *p = s->bench.plan;

	for (unsigned at = first; at < p->n; at++) {
		if (!p->left_out[at] || p->done[at])
			continue;
		dropped(s, &p->rows[at]);
		p->done[at] = true;
	}
}

#define FIRST_PART     0.25  /* of the profile's time at most for what the other rows rest on */
#define CARD_PART      0.4   /* of it at most until the first card; of one that ends there, all */
#define FIRST_MOST     0.005 /* of it for one of these rows, beyond its estimate */
#define TIME_PART      0.93  /* of it for rows; the rest for set-up and the summary */
#define FIRST_EDGES    0.1   /* of FIRST_PART's time for bisection, where there is one */
#define OTHER_EDGES    0.1   /* of TIME_PART's */
#define REMEASURE_PART 0.05  /* of TIME_PART's for measuring again what decides an edge */
#define EDGE_ROUNDS    40    /* of a probe, at most: a gap of 16384 entries shrinks to one in 34 */
#define EDGE_ROWS      64    /* a row of them may take so small a part of the time for them */

#define ROW_MOST 0.12 /* of the profile's time for a row of a core answer, but at last */

#define NO_LIMIT 1e30 /* ns */

#define RUNNING       0x616e6563686f6963ULL
#define SESSION_BYTES ((sizeof(struct session) + PAGE_4K - 1) / PAGE_4K * PAGE_4K)

static bool chosen(const struct bench *b, const struct probe *probe)
{
	return probe_asked_for(b->opt, probe);
}

/*
 * The first rows of a probe that was not chosen are measured only if a chosen one rests on them. A
 * source names all rows that it needs.
 */
static bool wanted_first(const struct bench *b, const struct probe *probe)
{
	if (chosen(b, probe))
		return true;
	if (!(probe->needs & GIVES_LEVELS) || b->opt->source)
		return false;
	for (unsigned i = 0; i < probe_count; i++)
		if (chosen(b, &probes[i]) && (probes[i].needs & NEED_LEVELS))
			return true;
	return false;
}

/* Measures the points that were just planned. Returns true if any was measured. */
static bool run_points(struct session *s, struct row_batch *points, unsigned first)
{
	unsigned measured = s->bench.nresults;

	points->first = first;
	run_rows(s, points);
	give_up(s, first);
	return s->bench.nresults > measured;
}

/* Points of which none takes much of the time until until_ns. */
static struct row_batch points_until(const struct bench *b, double until_ns, double row_most_ns)
{
	return (struct row_batch){
		.until_ns = until_ns,
		.most_ns = (until_ns - measuring_ns(b)) / EDGE_ROWS,
		.row_most_ns = row_most_ns,
		.points = true,
	};
}

/*
 * Bisects the edges of the probes that are wanted, one after the other, until none of them plans
 * rows, or none of those that it planned fits into the time.
 */
static void run_edges(struct session *s, bool (*want)(const struct bench *, const struct probe *),
	double until_ns, double row_most_ns)
{
	struct bench *b = &s->bench;
	struct row_batch points = points_until(b, until_ns, row_most_ns);
	struct reader medians = { .bench = b, .reading = READ_MEDIAN };
	unsigned from = b->nresults;

	for (unsigned i = 0; i < probe_count && bisects_edges(b->opt); i++)
		for (unsigned round = 0; round < EDGE_ROUNDS && want(b, &probes[i]); round++) {
			unsigned first = b->plan->n;

			b->probe = &probes[i];
			if (b->probe->hooks->plan_edges)
				b->probe->hooks->plan_edges(b, &medians);
			if (!run_points(s, &points, first))
				break;
		}
	say_points(b, from, "\nMeasured between those sizes, around the edges of the curves:");
}

/*
 * Measures again, probe by probe in turns, what decides the edges, until all times have said the
 * same, or often enough something else.
 */
static void remeasure_edges(struct session *s, double until_ns, double row_most_ns)
{
	struct bench *b = &s->bench;
	struct row_batch points = points_until(b, until_ns, row_most_ns);
	unsigned from = b->nresults;

	for (bool any = bisects_edges(b->opt); any;) {
		any = false;
		for (unsigned i = 0; i < probe_count; i++) {
			unsigned first = b->plan->n;

			if (wanted_first(b, &probes[i]) && plan_remeasure(b, &probes[i]))
				any |= run_points(s, &points, first);
		}
	}
	say_points(b, from,
		"\nThe rows at the edges measured again, to see whether the edges have moved:");
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
		if (first && b->probe->hooks->plan_first)
			b->probe->hooks->plan_first(b);
		if (first == ((b->probe->needs & ALL_FIRST) != 0))
			b->probe->hooks->plan(b);
	}
}

static double edges_part(const struct bench *b, double part)
{
	return bisects_edges(b->opt) ? part : 0;
}

/* Until when rows are measured: a part of the profile's time; a source's rows have no end. */
static double until_ns(const struct bench *b, double part)
{
	return b->opt->source ? NO_LIMIT : part * profile_ns(b) + b->exact_ns;
}

/*
 * Returns the end of the search for edges, which could go on for ever: in a source's run it has its
 * part of the time besides.
 */
static double edges_until_ns(const struct bench *b, double part, double edges)
{
	return b->opt->source ? measuring_ns(b) + edges * profile_ns(b) : until_ns(b, part);
}

static void conclude(struct session *s)
{
	struct bench *b = &s->bench;

	find_all(b);
	witnesses_compare(b);
	emit_found(b);
	say_outcome(b, s->first_card, s->no_time);
}

static int refuse(struct room *room, const char *why)
{
	room->say(room, why, strlen(why));
	return 2;
}

/* A source's rows are measured in whatever time they take: said before any is. */
static void say_source(struct bench *b)
{
	char letter[16];
	unsigned rows;

	if (!b->opt->source)
		return;
	settings_choice(option_settings, option_settings_count, b->opt, "source", letter,
		sizeof letter);
	b->source_ns = plan_estimate(b, &rows);
	say(b, "source %s: %u rows; estimate: %.1f min, more where others use the machine\n",
		letter, rows, b->source_ns / 60e9);
}

/* Measures what plans and rows rest on: the core clock, the machine's pace. */
static void calibrate(void *arg)
{
	static const uint64_t no_args[LOOP_ARGS];
	struct session *s = arg;
	struct bench *b = &s->bench;

	core_clock_warm(b);
	b->empty_ticks = measure_overhead(b, loop_empty, no_args);
	measure_pace(b);
	doubts_of_pace(b);
	prefetch_check(b);
	s->calibrated = true;
}

static int start(struct session *s, struct room *room, const struct options *opt)
{
	struct bench *b = &s->bench;
	struct arena first;

	__builtin_memset(s, 0, sizeof *s);
	b->room = room;
	b->opt = opt;
	b->plan = &s->plan;
	b->emit = &s->emit;
	b->results = s->results;
	/* Rows' memory begins with a page: no row depends on the last bytes of session's size. */
	b->work.base = room->work + SESSION_BYTES;
	b->work.bytes = room->work_bytes - SESSION_BYTES;
	b->start_ticks = room->began ? room->began : room->now(room);
	b->found = run_alloc(b, sizeof *b->found);
	b->card = run_alloc(b, sizeof *b->card);
	b->skipped = run_alloc(b, sizeof *b->skipped);
	if (!b->found || !b->card || !b->skipped)
		return refuse(room, "too little memory to work in: nothing can be measured\n");
	b->found->reader.bench = b;
	random_seed(&b->random, opt->seed);
	if (bench_arena(b, common_page(b), 0, &first))
		return refuse(room, "no memory for an arena: nothing can be measured\n");
	finishes(b, calibrate, s);
	s->magic = RUNNING;
	emit_run(b);
	if (s->calibrated)
		say_source(b);
	return 0;
}

static void finish(struct session *s, const char *status, const char *why)
{
	struct bench *b = &s->bench;

	if (b->wrong)
		tell(b, "\n%u row(s) FAILED their proof and have no number\n", b->wrong);
	emit_end(b, status, why);
	s->magic = 0;
}

/* The end of a run that came to its end: one that measured nothing is not complete. */
static void finish_measured(struct session *s)
{
	struct bench *b = &s->bench;
	char why[128];

	if (b->rows) {
		finish(s, stopped(b) ? "interrupted" : "complete", NULL);
		return;
	}
	text_format(why, sizeof why, "no row was %s%s",
		b->skips ? "measured; the first skip: " : "planned", b->first_skip);
	tell(b, "\nNOTHING was measured:\n  %s\n", why);
	finish(s, stopped(b) ? "interrupted" : "empty", why);
}

/* Print the latencies that the first rows show, if no tables are printed. */
static void tell_latencies(struct bench *b)
{
	static const struct {
		const char *name;
		enum value_id id;
	} levels[] = { { "L1", VALUE_l1d_latency_ns }, { "L2", VALUE_l2_latency_ns },
		{ "L3", VALUE_l3_latency_ns }, { "memory", VALUE_memory_latency_ns } };
	size_t mark = b->work.used;
	struct found_values *f = row_alloc(b, sizeof *f);
	const char *between = "";

	if (!f || b->opt->text != TEXT_CARD)
		return;
	*f = (struct found_values){ .reader = b->found->reader };
	run_find(b, f, "latency");
	for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
		const struct summary *s = find_value(f, levels[i].id);

		if (!s || !math_finite(s->value))
			continue;
		if (!*between)
			tell(b, "after %.0f s: ", run_seconds(b));
		tell(b, "%s%s %.3g ns", between, levels[i].name, s->value);
		between = ", ";
	}
	if (*between)
		tell(b, " a load\n");
	b->work.used = mark;
}

/* Measures the rows that others rest on; from them come the sizes at which the others measure. */
static void run_first(struct session *s)
{
	struct bench *b = &s->bench;

	plan_probes(b, wanted_first, true);
	const struct row_batch rows = {
		.until_ns = until_ns(b, (1 - edges_part(b, FIRST_EDGES)) * FIRST_PART),
		.most_ns = b->opt->source ? NO_LIMIT : FIRST_MOST * profile_ns(b),
	};

	run_rows(s, &rows);
	give_up(s, 0);
	run_edges(s, gives_levels, edges_until_ns(b, FIRST_PART, FIRST_EDGES), 0);
	for (unsigned i = 0; i < probe_count; i++) {
		b->probe = &probes[i];
		if (b->probe->hooks->find_first)
			b->probe->hooks->find_first(b);
	}
	levels_set(b);
	say_levels(b);
	tell_latencies(b);
}

/* Returns true if rows are planned beyond those of the first card, which then comes before them. */
static bool has_first_card(const struct bench *b)
{
	const struct plan *p = b->plan;

	if (b->opt->source || b->opt->profile == PROFILE_SMOKE)
		return false;
	for (unsigned at = 0; at < p->n; at++)
		if (p->rows[at].answer >= ANSWERS_BEHIND_CARD && !p->done[at])
			return true;
	return false;
}

/* Measures what people ask first, as far as a part of the time allows, and prints it. */
static void run_first_card(struct session *s, struct row_batch rows)
{
	struct bench *b = &s->bench;

	if (!has_first_card(b))
		return;
	b->plan->waiting = ANSWERS_BEHIND_CARD;
	rows.until_ns = until_ns(b, (1 - edges_part(b, FIRST_EDGES)) * CARD_PART);
	run_rows(s, &rows);
	run_edges(s, other_edges, until_ns(b, CARD_PART), rows.row_most_ns);
	b->plan->waiting = 0;
	if (stopped(b))
		return;
	find_all(b);
	witnesses_compare(b);
	s->first_card = run_alloc(b, sizeof *s->first_card);
	if (!s->first_card)
		return;
	*s->first_card = *b->card;
	emit_found_on(b, s->first_card);
	say_first_card(b, s->first_card);
}

/* Measures the others. */
static void run_others(struct session *s)
{
	struct bench *b = &s->bench;
	double row_most_ns = b->opt->source ? 0 : ROW_MOST * profile_ns(b);
	double remeasure = edges_part(b, REMEASURE_PART), bisect = edges_part(b, OTHER_EDGES);
	struct row_batch rows = {
		.first = b->plan->n, .most_ns = NO_LIMIT, .row_most_ns = row_most_ns
	};

	if (!stopped(b)) /* planning tries what takes time */
		plan_probes(b, chosen, false);
	allow_exact(b);
	run_first_card(s, rows);
	rows.until_ns = until_ns(b, (1 - bisect - remeasure) * TIME_PART);
	run_rows(s, &rows);
	run_edges(s, other_edges, edges_until_ns(b, (1 - remeasure) * TIME_PART, OTHER_EDGES),
		row_most_ns);
	remeasure_edges(s, edges_until_ns(b, TIME_PART, REMEASURE_PART), row_most_ns);
	rows.until_ns = until_ns(b, TIME_PART);
	rows.row_most_ns = 0;
	if (plan_bring_back(b->plan, rows.first)) /* in the time that the edges did not need */
		run_rows(s, &rows);
	give_up(s, rows.first);
}

int bench_run(struct room *room, const struct options *opt)
{
	struct session *s = (struct session *)room->work;
	struct bench *b = &s->bench;

	if (room->work_bytes < SESSION_BYTES + MIB)
		return refuse(room, "too little memory to work in: nothing can be measured\n");
	if (!(room->facts.tsc_hz > 0))
		return refuse(room, "no rate of the TSC: nothing can be measured\n");
	if (start(s, room, opt))
		return 2;
	say_machine(b);
	if (s->calibrated) {
		run_first(s);
		run_others(s);
		conclude(s);
	}
	finish_measured(s);
	return b->wrong ? 1 : 0;
}

void bench_faulted(struct room *room, const char *why)
{
	struct session *s = (struct session *)room->work;

	if (s->magic == RUNNING)
		finish(s, "faulted", why);
}
