/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"
#include "report/compare/compare.h"
#include "report/compare/effects.h"
#include "report/reading/row_identity.h"
#include "report/compare/sets.h"

const char *const verdict_names[VERDICTS] = { "unknown", "same", "slower", "faster", "more",
	"less" };

/* Rows of a set by their loose identity (row_identity.h): page size and bytes may differ. */
static json_t *loose_index(const struct set *set)
{
	json_t *index = json_object();

	for (size_t i = 0; i < set->nrows; i++) {
		char *identity = row_identity(set->rows[i].row->json, true);
		json_object_set_new(index, identity, json_integer((json_int_t)i));
		free(identity);
	}
	return index;
}

static void match_row(struct cell *cell, const struct set *base, const struct set *set,
	const struct pooled *row, const json_t *loose)
{
	cell->row = set_find(set, row->row->identity);
	cell->exact = cell->row;
	if (!cell->row) {
		char *identity = row_identity(row->row->json, true);
		const json_t *at = json_object_get(loose, identity);
		if (at)
			cell->row = &set->rows[json_integer_value(at)];
		/* Not one that is the exact partner of another row. */
		if (cell->row && set_find(base, cell->row->row->identity))
			cell->row = NULL;
		free(identity);
	}
	if (cell->row)
		cell->cycles = both_core_paced(base, row, set, cell->row);
}

static void compare_row(struct comparison *c, const struct pooled *base, json_t *const *loose)
{
	struct compared *row = grow((void **)&c->rows, &c->nrows, sizeof *row);

	row->label = row_name(base->row->json);
	row->probe = base->row->probe;
	row->unit = base->row->unit;
	row->cells = new_array(c->sets.n, sizeof *row->cells);
	row->cells[0] = (struct cell){
		.row = base,
		.exact = true,
		.ratio = 1,
		.change = NAN,
		.low = 1,
		.high = 1,
		.slower = 1,
		.verdict = VERDICT_SAME,
	};
	for (size_t i = 1; i < c->sets.n; i++)
		match_row(&row->cells[i], &c->sets.set[0], &c->sets.set[i], base, loose[i]);
}

/* NAN of none. */
static double median_of(double *values, size_t n)
{
	return n ? stats_median(values, n) : NAN;
}

static void cost_row(struct cost *cost, const struct cell *cell)
{
	cost->rows++;
	cost->rows_cycles += cell->cycles;
	cost->verdicts[cell->verdict]++;
	cost->clock += cell->because == BECAUSE_CLOCK;
	cost->edge += cell->because == BECAUSE_EDGE;
	if (cell->verdict == VERDICT_SLOWER)
		cost->worst = fmax(cost->worst, cell->slower);
}

/* Median slowdowns: of rows in core cycles, of those in time, of all where that is one thing. */
static void effects_of(struct comparison *c, size_t s)
{
	struct cost *cost = &c->costs[s];
	double *cycles = new_array(2 * c->nrows + 1, sizeof *cycles), *time = cycles + c->nrows;
	size_t n = 0, m = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		const struct cell *cell = &c->rows[i].cells[s];
		if (!row_counts(&c->rows[i], cell) || !cell->exact || cell->difference)
			continue;
		if (cell->cycles)
			cycles[n++] = cell->slower;
		else
			time[m++] = cell->slower;
	}
	cost->median_cycles = median_of(cycles, n);
	cost->median_time = median_of(time, m);
	memmove(cycles + n, time, m * sizeof *time);
	cost->median_effect =
		clocks_differ(&c->clocks[0], &c->clocks[s]) ? NAN : median_of(cycles, n + m);
	free(cycles);
}

static void cost_of(struct comparison *c, size_t s)
{
	struct cost *cost = &c->costs[s];
	double *tails = new_array(c->nrows + 1, sizeof *tails);
	size_t ntails = 0, matched = 0;

	cost->worst = 1;
	for (size_t i = 0; i < c->nrows; i++) {
		const struct cell *cell = &c->rows[i].cells[s];
		matched += cell->row != NULL;
		cost->events += cell->row && is_event(&c->rows[i]);
		if (!row_counts(&c->rows[i], cell))
			continue;
		if (!cell->exact) {
			cost->loose++;
			continue;
		}
		double tail = cell->row->tail / c->rows[i].cells[0].row->tail;
		if (!isnan(tail))
			tails[ntails++] = tail;
		cost_row(cost, cell);
	}
	cost->alone = c->sets.set[0].nrows + c->sets.set[s].nrows - 2 * matched;
	effects_of(c, s);
	cost->tail_effect = median_of(tails, ntails);
	free(tails);
}

void compare_sets(struct comparison *c, struct sets sets, double margin)
{
	json_t **loose = new_array(sets.n, sizeof *loose);

	*c = (struct comparison){
		.sets = sets,
		.margin = margin,
		.clocks = new_array(sets.n, sizeof *c->clocks),
		.costs = new_array(sets.n, sizeof *c->costs),
		.lots = new_array(sets.n, sizeof *c->lots),
		.disturbances = new_array(sets.n, sizeof *c->disturbances),
	};
	environment_compare(&c->environment, &c->sets);
	for (size_t i = 0; i < sets.n; i++) {
		loose[i] = loose_index(&sets.set[i]);
		c->clocks[i] = set_clock_of(&sets.set[i]);
		disturbance_of(&c->disturbances[i], &sets.set[i]);
	}
	for (size_t i = 0; i < sets.set[0].nrows; i++)
		compare_row(c, &sets.set[0].rows[i], loose);
	for (size_t i = 1; i < sets.n; i++) {
		effects_find(c, i);
		cost_of(c, i);
	}
	for (size_t i = 0; i < sets.n; i++)
		json_decref(loose[i]);
	free(loose);
}

void comparison_free(struct comparison *c)
{
	for (size_t i = 0; i < c->nrows; i++) {
		free(c->rows[i].label);
		free(c->rows[i].cells);
	}
	free(c->rows);
	free(c->clocks);
	free(c->costs);
	free(c->lots);
	free(c->disturbances);
	environment_free(&c->environment, &c->sets);
	sets_free(&c->sets);
}

struct ranked {
	double slower;
	size_t row;
};

static int worst_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->slower != y->slower)
		return x->slower < y->slower ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

size_t worst_rows(const struct comparison *c, size_t s, size_t *out)
{
	struct ranked *ranked = new_array(c->nrows + 1, sizeof *ranked);
	size_t n = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		const struct cell *cell = &c->rows[i].cells[s];
		if (row_counts(&c->rows[i], cell) && cell->exact && cell->verdict == VERDICT_SLOWER)
			ranked[n++] = (struct ranked){ cell->slower, i };
	}
	qsort(ranked, n, sizeof *ranked, worst_first);
	for (size_t i = 0; i < n; i++)
		out[i] = ranked[i].row;
	free(ranked);
	return n;
}
