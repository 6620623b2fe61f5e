/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/size_text.h"
#include "report/assumed_noise.h"
#include "report/effects.h"
#include "report/groups.h"
#include "report/row_identity.h"
#include "report/units.h"

/* Rows of one subject in one set, summed up run by run. */
struct sums {
	double *run; /* [runs] sum over the rows of the run's slowdown, a logarithm */
	size_t runs, rows;
	double assumed,
		squares; /* sums over the rows: deviation between runs, variance of medians */
};

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

/* What repeated runs differ by, all rows of a run share; the errors of medians are each its own. */
static struct side side_of(struct sums *sums)
{
	double rows = (double)sums->rows;

	for (size_t i = 0; i < sums->runs; i++)
		sums->run[i] /= rows;
	return side_of_values(sums->run, sums->runs,
		run_variance(sums->assumed / rows, sqrt(sums->squares) / rows));
}

static bool usable(const struct comparison *c, size_t s, const struct cell *cell,
	const struct pooled *base)
{
	return !cell->difference && base->nruns == c->sets.set[0].nruns &&
		cell->row->nruns == c->sets.set[s].nruns;
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

static void conclude(const struct comparison *c, size_t s, struct group *g, struct sums sums[2])
{
	struct side side[2] = { side_of(&sums[0]), side_of(&sums[1]) };
	struct effect e = effect_of(side, c->lots[s].of);
	double margin = log1p(c->margin);

	if (sums[0].runs == 1 || sums[1].runs == 1)
		effect_rescale(&e, c->lots[s].scale);
	double half = effect_half(&e);
	g->size = e.size;
	g->low = e.size - half;
	g->high = e.size + half;
	g->verdict = fabs(e.size) + half <= margin ? VERDICT_SAME
		: g->low > 0                       ? VERDICT_SLOWER
		: g->high < 0                      ? VERDICT_FASTER
						   : VERDICT_UNKNOWN;
}

typedef bool group_has(const struct compared *, const struct cell *, const void *which);

/* False: no row of both sets is in it. */
static bool group_find(const struct comparison *c, size_t s, group_has *has, const void *which,
	struct group *g)
{
	struct sums sums[2] = {
		{ new_array(c->sets.set[0].nruns, sizeof(double)), c->sets.set[0].nruns, 0, 0, 0 },
		{ new_array(c->sets.set[s].nruns, sizeof(double)), c->sets.set[s].nruns, 0, 0, 0 }
	};

	g->size = g->low = g->high = NAN;
	for (size_t i = 0; i < c->nrows; i++) {
		const struct compared *row = &c->rows[i];
		const struct cell *cell = &row->cells[s];
		const struct pooled *base = row->cells[0].row;
		if (!row_counts(row, cell) || !has(row, cell, which))
			continue;
		count(g, row, cell);
		if (!usable(c, s, cell, base))
			continue;
		add_row(&sums[0], &c->sets.set[0], base, cell);
		add_row(&sums[1], &c->sets.set[s], cell->row, cell);
	}
	if (sums[0].rows)
		conclude(c, s, g, sums);
	free(sums[0].run);
	free(sums[1].run);
	return g->rows;
}

struct subject {
	const char *probe, *variant, *level; /* NULL: any */
	double page_bytes;                   /* 0: any */
};

static bool has_subject(const struct compared *row, const struct cell *cell, const void *which)
{
	const struct subject *subject = which;
	const struct row_data *a = row->cells[0].row->row, *b = cell->row->row;
	double page = row_parameter(a->json, "page_bytes");

	if (strcmp(a->probe, subject->probe) ||
		(subject->variant && strcmp(a->variant, subject->variant)) ||
		(subject->level && strcmp(a->level, subject->level)))
		return false;
	if (subject->page_bytes && page != subject->page_bytes)
		return false;
	/* Of a level, the bytes may differ a little between runs; the pages may not. */
	return cell->exact || (*a->level && row_parameter(b->json, "page_bytes") == page);
}

static const struct {
	const char *level, *name;
} levels[] = { { "l1", "L1" }, { "l2", "L2" }, { "l3", "L3" }, { "l4", "L4" },
	{ "memory", "memory" } };

#define LEVELS (sizeof levels / sizeof *levels)

static const double page_sizes[] = { 4096, 2097152, 1073741824 };

#define PAGES (sizeof page_sizes / sizeof *page_sizes)

/* Takes the next group if it is there. */
static size_t add(const struct comparison *c, size_t s, struct subject subject, struct group *out)
{
	return group_find(c, s, has_subject, &subject, out);
}

static size_t add_latencies(const struct comparison *c, size_t s, struct group *out, size_t most)
{
	size_t n = 0;

	for (size_t level = 0; level < LEVELS; level++)
		for (size_t page = 0; page < PAGES && n < most; page++) {
			char size[SIZE_TEXT];
			out[n] = (struct group){ 0 };
			size_text(page_sizes[page], size);
			snprintf(out[n].name, GROUP_NAME, "%s latency, %s pages",
				levels[level].name, size);
			n += add(c, s,
				(struct subject){ "latency", "pointer-padded", levels[level].level,
					page_sizes[page] },
				&out[n]);
		}
	return n;
}

static size_t add_named(const struct comparison *c, size_t s, const char *name,
	struct subject subject, struct group *out, size_t most)
{
	if (!most)
		return 0;
	*out = (struct group){ 0 };
	snprintf(out->name, GROUP_NAME, "%s", name);
	return add(c, s, subject, out);
}

size_t groups_of_subjects(const struct comparison *c, size_t s, struct group *out, size_t most)
{
	size_t n = add_latencies(c, s, out, most);

	for (size_t level = 0; level < LEVELS; level++) {
		char name[GROUP_NAME];
		snprintf(name, sizeof name, "%s bandwidth", levels[level].name);
		n += add_named(c, s, name,
			(struct subject){ "bandwidth", NULL, levels[level].level, 0 }, &out[n],
			most - n);
	}
	n += add_named(c, s, "branches", (struct subject){ "branch", NULL, NULL, 0 }, &out[n],
		most - n);
	n += add_named(c, s, "arithmetic", (struct subject){ "ilp", NULL, NULL, 0 }, &out[n],
		most - n);
	return n;
}

static bool has_probe(const struct compared *row, const struct cell *cell, const void *which)
{
	return cell->exact && !strcmp(row->probe, which);
}

static bool probe_known(const struct group *groups, size_t n, const char *probe)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(groups[i].name, probe))
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
		snprintf(out[n].name, GROUP_NAME, "%s", probe);
		n += group_find(c, s, has_probe, probe, &out[n]);
	}
	return n;
}
