/* SPDX-License-Identifier: MIT */
/* A run in one room, from the run line to the end line. */
#include <string.h>

#include "engine/again.h"
#include "engine/bench.h"
#include "engine/core_clock.h"
#include "engine/selection.h"
#include "engine/find.h"
#include "engine/levels.h"
#include "engine/measure.h"
#include "engine/run_output.h"
#include "engine/prefetchers.h"
#include "engine/run_rows.h"
#include "engine/run_text.h"
#include "engine/skipped.h"
#include "infer/card.h"
#include "lib/math.h"
#include "lib/text.h"

#define FIRST_PART  0.35  /* of the profile's time at most for what the other rows rest on */
#define FIRST_MOST  0.005 /* of it for one of these rows, beyond its estimate */
#define TIME_PART   0.93  /* of it for rows; the rest for set-up and the summary */
#define FIRST_EDGES 0.1   /* of FIRST_PART's time for bisection, where there is one */
#define OTHER_EDGES 0.1   /* of TIME_PART's */
#define AGAIN_PART  0.05  /* of TIME_PART's for measuring again what decides an edge */
#define AGAIN_TURNS 64    /* of all probes, at most */
#define EDGE_ROUNDS 40    /* of a probe, at most: a gap of 16384 entries shrinks to one in 34 */
#define EDGE_ROWS   64    /* a row of them may take so small a part of the time for them */

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

/*
 * Bisects the edges of the probes that are wanted, one after the other, until none of them plans
 * rows, or none of those that it planned fits into the time.
 */
static void run_edges(struct session *s, bool (*want)(const struct bench *, const struct probe *),
	double until_ns)
{
	struct bench *b = &s->bench;
	double most_ns = (until_ns - measuring_ns(b)) / EDGE_ROWS;
	unsigned from = keep_rows(s);

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
	say_kept(s, from, "\nMeasured between those sizes, around the edges of the curves:");
}

/*
 * Measures again, probe by probe in turns, what decides the edges, until all times have said the
 * same, or often enough something else.
 */
static void run_again(struct session *s, double until_ns)
{
	struct bench *b = &s->bench;
	double most_ns = (until_ns - measuring_ns(b)) / EDGE_ROWS;
	bool any = bisects_edges(b->opt);
	unsigned from = keep_rows(s);

	for (unsigned turn = 0; turn < AGAIN_TURNS && any; turn++) {
		any = false;
		for (unsigned i = 0; i < probe_count; i++) {
			unsigned first = b->plan->n, measured = b->nresults;

			if (!wanted_first(b, &probes[i]) || !plan_again(b, &probes[i]))
				continue;
			run_rows(s, first, until_ns, most_ns);
			any |= b->nresults > measured;
		}
	}
	say_kept(s, from,
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
	run_rows(s, 0, (1 - edges_part(b, FIRST_EDGES)) * FIRST_PART * profile_ns(b),
		FIRST_MOST * profile_ns(b));
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
	double again = edges_part(b, AGAIN_PART), bisect = edges_part(b, OTHER_EDGES);

	run_rows(s, first, (1 - bisect - again) * TIME_PART * profile_ns(b), NO_LIMIT);
	run_edges(s, other_edges, (1 - again) * TIME_PART * profile_ns(b));
	run_again(s, TIME_PART * profile_ns(b));
}

static void conclude(struct bench *b)
{
	find_all(b);
	emit_found(b);
	say_skipped(b);
	if (b->nresults)
		say_found(b);
	say_card(b);
}

static int refuse(struct room *room, const char *why)
{
	room->say(room, why, strlen(why));
	return 2;
}

static int start(struct session *s, struct room *room, const struct options *opt)
{
	static const uint64_t no_args[LOOP_ARGS];
	struct bench *b = &s->bench;

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
	random_seed(&b->random, opt->seed);
	if (bench_arena(b, common_page(b), &b->arena))
		return refuse(room, "no memory for an arena: nothing can be measured\n");
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

	if (b->no_time)
		say(b, "\n%u row(s) left out: they do not fit into the %.0f s of this profile\n",
			b->no_time, profile_seconds(b->opt->profile));
	if (b->wrong)
		say(b, "\n%u row(s) FAILED their proof and have no number\n", b->wrong);
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
	say(b, "\nNOTHING was measured:\n  %s\n", why);
	finish(s, stopped(b) ? "interrupted" : "empty", why);
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
	run_first(s);
	say_levels(b);
	run_others(s);
	conclude(b);
	finish_measured(s);
	return b->wrong ? 1 : 0;
}

void bench_faulted(struct room *room, const char *why)
{
	struct session *s = (struct session *)room->work;

	if (s->magic == RUNNING)
		finish(s, "faulted", why);
}
