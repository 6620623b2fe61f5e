/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/assumed_noise.h"
#include "report/compare/effects.h"
#include "report/compare/groups.h"
#include "report/compare/units.h"

void group_name(const struct group *g, char out[GROUP_NAME])
{
	snprintf(out, GROUP_NAME, "%s%s%s%s%s", g->level, *g->level ? " " : "", g->kind,
		*g->pages ? " with " : "", g->pages);
}

struct gathering gather(const struct comparison *c, size_t s, struct group *g)
{
	struct gathering all = { .c = c, .set = s, .group = g };

	for (int side = 0; side < 2; side++) {
		size_t runs = c->sets.set[side ? s : 0].nruns;
		all.sums[side] = (struct sums){ new_array(runs, sizeof(double)), runs, 0, 0, 0 };
	}
	g->size = g->low = g->high = g->p = g->runs = NAN;
	g->cycles = true;
	return all;
}

static double towards_slower(const char *unit)
{
	return unit_better(unit) == BETTER_HIGH ? -1 : 1;
}

static void add_row(struct sums *sums, const struct set *set, const struct pooled *p,
	const struct cell *how)
{
	double *values = new_array(p->nruns, sizeof *values), assumed = assumed_noise(set, p);
	struct variance of_one = row_values(set, p, how, NAN, values);

	for (size_t i = 0; i < p->nruns; i++)
		sums->run[i] += towards_slower(p->row->unit) * values[i];
	sums->rows++;
	sums->assumed += assumed;
	sums->squares += of_one.factor - assumed * assumed;
	free(values);
}

void gather_row(struct gathering *all, const struct pooled *base, const struct cell *cell)
{
	const struct set *sets = all->c->sets.set;

	if (cell->difference || base->nruns != all->sums[0].runs ||
		cell->row->nruns != all->sums[1].runs)
		return;
	all->group->cycles &= cell->cycles;
	add_row(&all->sums[0], &sets[0], base, cell);
	add_row(&all->sums[1], &sets[all->set], cell->row, cell);
}

/* What repeated runs differ by, all rows of a run share; the errors of medians are each its own. */
static struct side side_of(struct sums *sums)
{
	double rows = (double)sums->rows;

	for (size_t i = 0; i < sums->runs; i++)
		sums->run[i] /= rows;
	return side_of_values(sums->run, sums->runs,
		run_variance(sums->assumed / rows, sqrt(sums->squares) / rows));
}

static void conclude(struct gathering *all)
{
	struct side side[2] = { side_of(&all->sums[0]), side_of(&all->sums[1]) };
	const struct lots *lots = &all->c->lots[all->set];
	struct effect e = effect_of(side, lots->of);
	struct group *g = all->group;

	if (side[0].runs == 1 || side[1].runs == 1)
		effect_rescale(&e, lots->scale, lots->typical);
	double half = effect_half(&e);
	g->size = e.size;
	g->low = e.size - half;
	g->high = e.size + half;
	g->p = e.p;
	g->runs = effect_runs_wanted(&e, side, log1p(all->c->margin));
}

void gathered(struct gathering *all)
{
	if (all->sums[0].rows)
		conclude(all);
	else
		all->group->cycles = false;
	for (int side = 0; side < 2; side++)
		free(all->sums[side].run);
}

void groups_judge(const struct comparison *c, struct group *groups, size_t n)
{
	double *p = new_array(n + 1, sizeof *p), margin = log1p(c->margin);
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(groups[i].p))
			p[known++] = groups[i].p;
	double largest = largest_p(p, known);
	for (size_t i = 0; i < n; i++) {
		struct group *g = &groups[i];
		g->verdict = VERDICT_UNKNOWN;
		if (fmax(-g->low, g->high) <= margin && !isnan(g->size))
			g->verdict = VERDICT_SAME;
		else if (g->p <= largest)
			g->verdict = g->size > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
	}
	free(p);
}

static void count(struct group *g, const struct compared *row, const struct cell *cell)
{
	g->rows++;
	g->verdicts[cell->verdict]++;
	if (cell->verdict != VERDICT_SLOWER && cell->verdict != VERDICT_FASTER)
		return;
	if (!g->worst || fabs(log(cell->slower)) > fabs(log(g->worst_slower))) {
		g->worst = row;
		g->worst_slower = cell->slower;
	}
}

static void gather_probe(const struct comparison *c, size_t s, const char *probe, struct group *g)
{
	struct gathering all = gather(c, s, g);

	for (size_t i = 0; i < c->nrows; i++) {
		const struct compared *row = &c->rows[i];
		const struct cell *cell = &row->cells[s];
		if (strcmp(row->probe, probe) || !row_counts(row, cell) || !cell->exact)
			continue;
		count(g, row, cell);
		gather_row(&all, row->cells[0].row, cell);
	}
	gathered(&all);
}

static bool probe_known(const struct group *groups, size_t n, const char *probe)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(groups[i].kind, probe))
			return true;
	return false;
}

size_t groups_of_probes(const struct comparison *c, size_t s, struct group *out, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nrows && n < most; i++) {
		const char *probe = c->rows[i].probe;
		if (probe_known(out, n, probe))
			continue;
		out[n] = (struct group){ 0 };
		snprintf(out[n].kind, sizeof out[n].kind, "%s", probe);
		gather_probe(c, s, probe, &out[n]);
		n += out[n].rows > 0;
	}
	groups_judge(c, out, n);
	return n;
}
