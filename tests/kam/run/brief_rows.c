/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/measure.h"
#include "engine/probe_api.h"
#include "tests/kam/run/brief_rows.h"

struct brief_rows brief_rows;

#define PAUSE_NS       400 /* the one pause whose latency under load is looked at */
#define LEARNED        2000
#define TARGETS_FEWEST 16 /* fewer jumps run at the pace of the loop: not read */

static bool is_needless(const struct room *room, const struct row *row)
{
	bool far = row->level && strcmp(row->level, "memory") == 0,
	     small = row->page_bytes == PAGE_4K && room->facts.pages != PAGE_4K;

	if (strcmp(row->variant, "chains") == 0)
		return !far || small;
	if (strcmp(row->variant, "sequential") == 0)
		return !far;
	if (strcmp(row->variant, "pointer-padded") == 0)
		return small;
	if (strcmp(row->variant, "loaded-latency") == 0)
		return row_get(row, "pause_ns", 0) > 0 && row_get(row, "pause_ns", 0) != PAUSE_NS;
	if (strcmp(row->variant, "learn") == 0)
		return row_get(row, "elements", 0) != LEARNED;
	if (strcmp(row->variant, "targets") == 0)
		return row_get(row, "targets", 0) < TARGETS_FEWEST;
	return row->unit == &unit_gbs && (!row->level || row_get(row, "in_a_turn", 0) > 0);
}

/* engine/probe_api.h */
void __real_plan_add(struct bench *, const struct row *);
void __wrap_plan_add(struct bench *, const struct row *);
void __wrap_plan_add(struct bench *b, const struct row *row)
{
	if (!brief_rows.fewer || !is_needless(b->room, row))
		__real_plan_add(b, row);
}

#define CALL_QUIET (64 * KIB) /* code of a call of `frontend`, about: 1 us or more */

/* A call of `frontend` is long because an op cache takes many turns to fill: not in the model. */
static void shorten_frontend(const struct row *row, struct job *job)
{
	uint64_t turns = CALL_QUIET / (uint64_t)row_get(row, "bytes", 0) + 2, was = job->args[2];

	job->ops = job->ops / (double)was * (double)turns;
	job->expect = 1 + (job->expect - 1) / was * turns;
	job->args[2] = turns;
}

/* Rows that name a number only because a real machine disturbs their samples. */
static bool asks_for_noise(const struct row *row)
{
	static const char *const variants[] = { "targets", "learn", "fisher-yates" };

	for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++)
		if (strcmp(row->variant, variants[i]) == 0)
			return true;
	return false;
}

static int (*prepare)(struct bench *, const struct row *, struct job *); /* the row's own */

static int prepare_few(struct bench *b, const struct row *row, struct job *job)
{
	((struct row *)row)->prepare = prepare; /* by which `mlp` tells its rows apart */
	int failed = prepare(b, row, job);

	((struct row *)row)->prepare = prepare_few;
	if (failed)
		return failed;
	if (strcmp(row->probe->name, "frontend") == 0)
		shorten_frontend(row, job);
	if (asks_for_noise(row))
		job->min_samples = job->max_samples = 0;
	if (!job->min_samples)
		job->min_samples = brief_rows.samples;
	if (!job->max_samples)
		job->max_samples = job->min_samples;
	return 0;
}

/* engine/measure.h */
enum measured __real_measure_row(struct bench *, const struct row *, double budget_ns,
	double cut_ns, struct job *, struct samples *, struct result *);
enum measured __wrap_measure_row(struct bench *, const struct row *, double budget_ns,
	double cut_ns, struct job *, struct samples *, struct result *);
enum measured __wrap_measure_row(struct bench *b, const struct row *row, double budget_ns,
	double cut_ns, struct job *job, struct samples *s, struct result *r)
{
	if (!brief_rows.samples)
		return __real_measure_row(b, row, budget_ns, cut_ns, job, s, r);
	prepare = row->prepare;
	((struct row *)row)->prepare = prepare_few;
	enum measured measured = __real_measure_row(b, row, budget_ns, cut_ns, job, s, r);

	((struct row *)row)->prepare = prepare;
	return measured;
}
