/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "report/compare/assumed_noise.h"
#include "report/compare/curve.h"
#include "report/compare/difference.h"
#include "report/compare/effects.h"
#include "report/compare/units.h"

#define DEVIATIONS_MOST 3.29 /* of a normal distribution: 999 of 1000 are nearer */

/* A row in both sets. */
struct pair {
	struct side side[2];
	double whole; /* what a difference is a part of; NAN: a ratio */
	struct cell *cell;
	const struct compared *row;
};

struct pairs {
	struct pair *pair;
	size_t n;
};

static double value_of(const struct run_value *run, const struct cell *cell, const char *unit,
	double whole)
{
	if (cell->difference)
		return run->median / whole;
	return log(cell->cycles ? in_cycles(unit, run->median, run->core_hz) : run->median);
}

struct variance row_values(const struct set *set, const struct pooled *p, const struct cell *cell,
	double whole, double *out)
{
	double squares = 0;

	for (size_t i = 0; i < p->nruns; i++) {
		const struct run_value *run = &p->runs[i];
		double error = run->error / (cell->difference ? whole : run->median);
		out[i] = value_of(run, cell, p->row->unit, whole);
		squares += error * error;
	}
	return run_variance(assumed_noise(set, p), sqrt(squares / (double)p->nruns));
}

static struct side side_of(const struct set *set, const struct pooled *p, const struct cell *cell,
	double whole)
{
	double *values = new_array(p->nruns, sizeof *values);
	struct variance of_one = row_values(set, p, cell, whole, values);
	struct side side = side_of_values(values, p->nruns, of_one);

	free(values);
	return side;
}

static struct lot lot_of(const struct pairs *pairs, int side)
{
	struct variance *rows = new_array(pairs->n + 1, sizeof *rows);
	struct lot lot = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct side *s = &pairs->pair[i].side[side];
		if (isnan(s->own))
			continue;
		rows[n++] = (struct variance){ s->own / s->expected, s->runs - 1 };
		lot.df += s->runs - 1;
	}
	lot.prior = variance_prior(rows, n);
	free(rows);
	return lot;
}

/* The effect as people want it. */
static void show(struct pair *p)
{
	struct cell *cell = p->cell;
	const char *unit = p->row->unit;
	double half = effect_half(&cell->effect), size = cell->effect.size;

	cell->ratio = cell->change = NAN;
	if (cell->difference) {
		cell->change = size * p->whole;
		cell->low = (size - half) * p->whole;
		cell->high = (size + half) * p->whole;
		cell->slower = slowdown(unit, 1, 1 + size);
		return;
	}
	cell->ratio = exp(size);
	cell->low = exp(size - half);
	cell->high = exp(size + half);
	cell->slower = slowdown(unit, 1, cell->ratio);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double largest_p(double *p, size_t n)
{
	double largest = 0;

	qsort(p, n, sizeof *p, ascending);
	for (size_t i = 0; i < n; i++)
		if (p[i] <= FALSE_MOST * (double)(i + 1) / (double)n)
			largest = p[i];
	return largest;
}

static double largest_of(const struct pairs *pairs)
{
	double *p = new_array(pairs->n + 1, sizeof *p);

	for (size_t i = 0; i < pairs->n; i++)
		p[i] = pairs->pair[i].cell->effect.p;
	double largest = largest_p(p, pairs->n);
	free(p);
	return largest;
}

/* Whether the slowdown lies between none and that of the clock. */
static bool by_clock(double slower, double clock, double half)
{
	double low = fmin(0, log(clock)) - half, high = fmax(0, log(clock)) + half;

	return slower > 0 && clock > 0 && log(slower) >= low && log(slower) <= high;
}

static bool by_edge(const struct comparison *c, size_t s, const struct pair *p, double half)
{
	const struct pooled *a = p->row->cells[0].row, *b = p->cell->row;
	double scale = p->cell->ratio * a->median / b->median; /* core cycles of a at b's clock */

	return !isnan(p->cell->ratio) && curve_holds(&c->sets.set[0], a, scale * b->median, half) &&
		curve_holds(&c->sets.set[s], b, a->median / scale, half);
}

static enum because cause_of(const struct comparison *c, size_t s, const struct pair *p)
{
	double half = effect_half(&p->cell->effect);
	double clock = p->row->cells[0].row->core_hz / p->cell->row->core_hz;

	if (!p->cell->cycles && !p->cell->difference && by_clock(p->cell->slower, clock, half))
		return BECAUSE_CLOCK;
	return by_edge(c, s, p, half) ? BECAUSE_EDGE : BECAUSE_NOTHING;
}

static void judge(const struct comparison *c, size_t s, const struct pair *p, double largest)
{
	struct cell *cell = p->cell;
	double half = effect_half(&cell->effect);

	cell->because = BECAUSE_NOTHING;
	cell->runs = NAN;
	cell->verdict = VERDICT_UNKNOWN;
	if (fabs(cell->effect.size) + half <= log1p(c->margin)) {
		cell->verdict = VERDICT_SAME;
	} else if (!(cell->effect.p <= largest)) {
		cell->runs = effect_runs_wanted(&cell->effect, p->side, log1p(c->margin));
	} else {
		cell->because = cause_of(c, s, p);
		if (cell->because == BECAUSE_NOTHING)
			cell->verdict = isnan(cell->slower)
				? (cell->effect.size > 0 ? VERDICT_MORE : VERDICT_LESS)
				: (cell->slower > 1 ? VERDICT_SLOWER : VERDICT_FASTER);
	}
}

static bool is_single(const struct pair *p)
{
	return p->side[0].runs == 1 || p->side[1].runs == 1;
}

static struct variance scale_of(const struct pairs *pairs)
{
	struct effect *effects = new_array(pairs->n + 1, sizeof *effects);
	size_t n = 0;

	for (size_t i = 0; i < pairs->n; i++)
		if (is_single(&pairs->pair[i]))
			effects[n++] = pairs->pair[i].cell->effect;
	struct variance scale = effect_scale(effects, n);
	free(effects);
	return scale;
}

static bool take_pair(struct pairs *pairs, struct comparison *c, struct compared *row, size_t s)
{
	const struct set *base = &c->sets.set[0], *set = &c->sets.set[s];
	const struct pooled *p = row->cells[0].row;
	struct cell *cell = &row->cells[s];

	cell->difference = is_difference(p) || is_difference(cell->row);
	double whole = cell->difference ? whole_of(base, p, cell->row) : NAN;
	struct pair pair = { { side_of(base, p, cell, whole),
				     side_of(set, cell->row, cell, whole) },
		whole, cell, row };
	if (!isfinite(pair.side[0].mean) || !isfinite(pair.side[1].mean))
		return false;
	pairs->pair[pairs->n++] = pair;
	return true;
}

static void none(struct cell *cell)
{
	cell->ratio = cell->change = cell->low = cell->high = cell->slower = cell->runs = NAN;
	cell->effect = (struct effect){ NAN, NAN, NAN, NAN };
}

/*
 * A row of which there is a single run: its error is scaled as the rows differ, up to what is usual
 * in the room; and it does not differ by more than ever is usual there and its samples scatter,
 * unless the median is one of disturbed samples.
 */
static void rescale_single(const struct pair *p, const struct lots *lots)
{
	const struct pooled *row[] = { p->row->cells[0].row, p->cell->row };
	struct effect *e = &p->cell->effect;

	effect_rescale(e, lots->scale, lots->typical);
	if (p->cell->difference)
		return;
	for (int side = 0; side < 2; side++)
		if (2 * row[side]->disturbed > row[side]->samples)
			return;
	effect_bound(e,
		hypot(lots->most / DEVIATIONS_MOST,
			hypot(row[0]->runs[0].spread, row[1]->runs[0].spread)));
}

static void usual_of(struct comparison *c, size_t s)
{
	struct usual a = usual_factors(c->sets.set[0].room), b = usual_factors(c->sets.set[s].room);

	c->lots[s].typical = log(fmax(a.typical, b.typical));
	c->lots[s].most = log(fmax(a.most, b.most));
}

void effects_find(struct comparison *c, size_t s)
{
	struct pairs pairs = { .pair = new_array(c->nrows + 1, sizeof *pairs.pair) };

	for (size_t i = 0; i < c->nrows; i++)
		if (c->rows[i].cells[s].row && !take_pair(&pairs, c, &c->rows[i], s))
			none(&c->rows[i].cells[s]);
	for (int side = 0; side < 2; side++)
		c->lots[s].of[side] = lot_of(&pairs, side);
	for (size_t i = 0; i < pairs.n; i++)
		pairs.pair[i].cell->effect = effect_of(pairs.pair[i].side, c->lots[s].of);
	c->lots[s].scale = scale_of(&pairs);
	usual_of(c, s);
	for (size_t i = 0; i < pairs.n; i++) {
		if (is_single(&pairs.pair[i]))
			rescale_single(&pairs.pair[i], &c->lots[s]);
		show(&pairs.pair[i]);
	}
	double largest = largest_of(&pairs);
	for (size_t i = 0; i < pairs.n; i++)
		judge(c, s, &pairs.pair[i], largest);
	free(pairs.pair);
}
