/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"
#include "lib/text.h"
#include "linux/report/compare/compare_parts.h"
#include "linux/report/compare/gate.h"
#include "linux/report/compare/statistics.h"
#include "linux/report/compare/sets.h"

/* Counts of the first set's rows that are times or rates. */
struct gate_tally {
	size_t rows, missing; /* missing: not in the other set with the same page size and bytes */
	size_t open;          /* rows that may or may not be slower by more than the limit */
	size_t clock, edge;   /* of these rows, because of the clock or an edge */
	const struct compared *seems; /* the slowest that seems slower by more; or NULL */
	double seems_slower;
	double *sees, *runs; /* by row: the least visible slowdown; runs a side for the limit */
	size_t judged;       /* number of rows in these two */
};

__attribute__((format(printf, 2, 3))) static enum gate say_cannot(char **why, const char *format,
	...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(why, format, args) < 0)
		*why = NULL;
	va_end(args);
	return GATE_CANNOT_JUDGE;
}

/*
 * The least visible slowdown: it lies outside of the interval of a row that is as fast, and no
 * effect lies outside of its own.
 */
static double seen_with(double half)
{
	return expm1(2 * half);
}

/* Runs a side with which the row would show a slowdown of the limit; INFINITY: over RUNS_MOST. */
static double runs_for(const struct compared *row, const struct cell *cell, double limit)
{
	double runs[] = { (double)row->cells[0].row->nruns, (double)cell->row->nruns };
	double error = cell->effect.error / sqrt(1 / runs[0] + 1 / runs[1]); /* of one run */

	for (double n = RUNS_LEAST; n <= RUNS_MOST; n++)
		if (seen_with(student_quantile(0.025, 2 * n - 2) * error * sqrt(2 / n)) <= limit)
			return n;
	return INFINITY;
}

static void judge_row(struct gate_tally *t, const struct compared *row, const struct cell *cell,
	double limit)
{
	double half = effect_half(&cell->effect);

	t->sees[t->judged] = seen_with(half);
	t->runs[t->judged++] = runs_for(row, cell, limit);
	if (cell->verdict != VERDICT_UNKNOWN || log(cell->slower) + half <= log1p(limit))
		return;
	t->open++;
	t->clock += cell->because == BECAUSE_CLOCK;
	t->edge += cell->because == BECAUSE_EDGE;
	if (!cell->difference && cell->slower - 1 > limit &&
		(!t->seems || cell->slower > t->seems_slower)) {
		t->seems = row;
		t->seems_slower = cell->slower;
	}
}

/* The value that nine of ten rows do not exceed. */
static double of_most(double *values, size_t n)
{
	stats_sort(values, n);
	return values[(size_t)((1 - GATE_UNJUDGED) * (double)(n - 1))];
}

/* Print "with 1 run a side it sees a slowdown of 40 % and more; 7 runs a side would see 5 %". */
static void say_power(const struct comparison *c, size_t s, struct gate_tally *t, double limit,
	FILE *out)
{
	size_t a = c->sets.set[0].nruns, b = c->sets.set[s].nruns, n = a < b ? a : b;
	double sees = of_most(t->sees, t->judged), runs = of_most(t->runs, t->judged);

	fprintf(out, ": with %zu run%s a side it sees a slowdown of ", n, text_plural(n));
	if (sees < 10)
		fprintf(out, "%.2g %% and more", 100 * sees);
	else
		fputs("more than ten times only", out);
	if (sees <= limit)
		return;
	if (isfinite(runs))
		fprintf(out, "; %.0f a side would see %g %%", fmax(runs, (double)n + 1),
			100 * limit);
	else
		fprintf(out, "; not even %d a side would see %g %%", RUNS_MOST, 100 * limit);
}

static enum gate say_open(const struct comparison *c, size_t s, struct gate_tally *t, double limit,
	char **why)
{
	const struct set *set = &c->sets.set[s];
	size_t bytes;
	FILE *out = text_stream(why, &bytes);

	fprintf(out, "cannot judge whether %s/%s is slower by %g %%", set_name(set), set->room,
		100 * limit);
	say_power(c, s, t, limit, out);
	fprintf(out, "; %zu of %zu rows stay open", t->open, t->rows);
	if (t->clock)
		fprintf(out, ", %zu by the core clock", t->clock);
	if (t->edge)
		fprintf(out, ", %zu by an edge that moved", t->edge);
	if (t->missing)
		fprintf(out, ", and it lacks %zu of %zu", t->missing, t->rows);
	if (t->seems)
		fprintf(out, "; '%s' seems slower by %.1f %%", t->seems->label,
			100 * (t->seems_slower - 1));
	fclose(out);
	return GATE_CANNOT_JUDGE;
}

static enum gate judge_rows(const struct comparison *c, size_t s, double limit, char **why)
{
	struct gate_tally t = { .sees = new_array(c->nrows + 1, sizeof *t.sees),
		.runs = new_array(c->nrows + 1, sizeof *t.runs) };
	enum gate gate = GATE_NONE_SLOWER;

	for (size_t i = 0; i < c->nrows; i++) {
		const struct compared *row = &c->rows[i];
		const struct cell *cell = &row->cells[s];
		if (!strcmp(row->probe, "noise") || unit_better(row->unit) == BETTER_NEITHER)
			continue;
		t.rows++;
		if (row_counts(row, cell) && cell->exact)
			judge_row(&t, row, cell, limit);
		else
			t.missing++;
	}
	if (t.seems || (double)(t.open + t.missing) > GATE_UNJUDGED * (double)t.rows)
		gate = say_open(c, s, &t, limit, why);
	free(t.sees);
	free(t.runs);
	return gate;
}

static bool share_a_run(const struct set *a, const struct set *b)
{
	for (size_t i = 0; i < a->nruns; i++)
		for (size_t j = 0; j < b->nruns; j++)
			if (same_run(a->runs[i], b->runs[j]))
				return true;
	return false;
}

/* The sentence on the slowest row, if it is slower by more than the limit; else NULL. */
static char *slower_row(const struct comparison *c, size_t s, double limit)
{
	const struct set *set = &c->sets.set[s];
	size_t *worst = new_array(c->nrows + 1, sizeof *worst);
	size_t n = worst_rows(c, s, worst);
	const struct compared *row = &c->rows[n ? worst[0] : 0];
	const struct cell *cell = &row->cells[s];
	char *why = NULL;

	free(worst);
	if (n && cell->slower - 1 > limit &&
		asprintf(&why,
			"%s/%s: '%s' is slower by %.1f %%, more than %g %%: %g after %g %s, "
			"%s %.4g..%.4g with 95 %% confidence",
			set_name(set), set->room, row->label, 100 * (cell->slower - 1), 100 * limit,
			cell->row->median, row->cells[0].row->median, row->unit,
			cell->difference ? "difference" : "ratio", cell->low, cell->high) < 0)
		why = NULL;
	return why;
}

enum gate gate_judge(const struct comparison *c, size_t s, double limit, char **why)
{
	const struct set *first = &c->sets.set[0], *set = &c->sets.set[s];

	*why = NULL;
	if (!c->costs[s].rows)
		return say_cannot(why, "%s/%s has no time or rate in common with the first file",
			set_name(set), set->room);
	if (!costs_mean_something(c, s))
		return say_cannot(why,
			"cannot judge %s/%s: one of the two is %s, whose times are not hardware's",
			set_name(set), set->room, costs_forbidden_by(c, s));
	if (!is_simulated(set) && share_a_run(first, set))
		return say_cannot(why, "cannot judge %s/%s: the first set has the same run",
			set_name(set), set->room);
	*why = slower_row(c, s, limit);
	return *why ? GATE_SLOWER : judge_rows(c, s, limit, why);
}
