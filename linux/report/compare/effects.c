/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/compare/effects.h"
#include "lib/stats.h"
#include "linux/report/reading/results.h"
#include "lib/result_keys.h"
#include "linux/report/compare/sets.h"

/* Parameters that are swept in steps of a grid; the others are choices (width, page size). */
static const char *const swept[] = { "bytes", "depth", "elements", "instructions", "lanes", "pages",
	"stride_bytes", "targets", "ways" };

#define SWEPT (sizeof swept / sizeof *swept)

#define STEP_MOST 2.2 /* between neighbours: an octave, with sizes rounded; farther is no curve */
#define NEAREST   7   /* points used, with the row in their middle if the curve goes on */
#define BENDS     5   /* least number of bends among them */

/*
 * Factor from the median of the bends to the difference that 95 % of repetitions do not exceed, if
 * each point has an error of its own with deviation s: a bend has s sqrt(1.5), the median of its
 * size is 0.6745 of that, and two points differ by less than 1.96 s sqrt(2).
 */
#define BEND_TO_DIFFERENCE (1.96 * 1.4142 / (0.6745 * 1.2247))

struct effect_point {
	double x, y;
};

struct effect_curve {
	struct effect_point *point;
	size_t n, at; /* at: the row itself */
};

static bool same_kind(const struct row_data *a, const struct row_data *b)
{
	return !strcmp(a->probe, b->probe) && !strcmp(a->variant, b->variant) &&
		!strcmp(a->unit, b->unit);
}

/* Returns true if two rows of one kind are the same measurement but for one parameter. */
static bool same_but_for(const struct row_data *a, const struct row_data *b, const char *but)
{
	struct parameter p[PARAMETERS_MOST], q[PARAMETERS_MOST];
	size_t n = row_parameters(a->json, p);

	if (row_parameters(b->json, q) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(p[i].name, q[i].name) ||
			(p[i].value != q[i].value && strcmp(p[i].name, but)))
			return false;
	return true;
}

static int by_x(const void *a, const void *b)
{
	const struct effect_point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/*
 * The curve over one parameter on which the row lies; n is 0 if the row does not have the
 * parameter.
 */
static struct effect_curve curve_of(const struct set *set, const struct pooled *row, const char *by)
{
	struct effect_curve c = { new_array(set->nrows, sizeof *c.point), 0, 0 };
	double x = row_parameter(row->row->json, by);

	for (size_t i = 0; x > 0 && i < set->nrows; i++) {
		const struct pooled *other = &set->rows[i];
		if (!same_kind(row->row, other->row))
			continue;
		double there = row_parameter(other->row->json, by);
		if (there > 0 && other->median > 0 && same_but_for(row->row, other->row, by))
			c.point[c.n++] = (struct effect_point){ there, other->median };
	}
	qsort(c.point, c.n, sizeof *c.point, by_x);
	while (c.at < c.n && c.point[c.at].x != x)
		c.at++;
	return c;
}

/*
 * The distance of a point from the straight line between its neighbours, in logarithms; NAN:
 * unknown.
 */
static double bend(const struct effect_curve *c, size_t at)
{
	if (at == 0 || at + 1 >= c->n)
		return NAN;
	const struct effect_point *a = &c->point[at - 1], *b = a + 1, *d = b + 1;
	if (b->x / a->x > STEP_MOST || d->x / b->x > STEP_MOST)
		return NAN;
	double part = log(b->x / a->x) / log(d->x / a->x);

	return fabs(log(b->y / a->y) - part * log(d->y / a->y));
}

static bool between(const struct effect_curve *c, double value, double noise)
{
	const struct effect_point *p = &c->point[c->at];
	double low = fmin(p->y, fmin(p[-1].y, p[1].y)), high = fmax(p->y, fmax(p[-1].y, p[1].y));

	return value >= low * exp(-noise) && value <= high * exp(noise);
}

/*
 * Returns true if `value` lies between the medians of the row's two neighbours, at most an octave
 * away, and the curve is not straight there (in logarithms, by more than `noise`): on an edge or a
 * knee. There a row shows only that an edge lies within a step of the grid.
 */
static bool curve_holds(const struct set *set, const struct pooled *row, double value, double noise)
{
	bool holds = false;

	for (size_t i = 0; i < SWEPT && !holds; i++) {
		struct effect_curve c = curve_of(set, row, swept[i]);
		holds = bend(&c, c.at) > noise && between(&c, value, noise);
		free(c.point);
	}
	return holds;
}

static double scatter_of(const struct effect_curve *c)
{
	double bends[NEAREST];
	size_t n = 0, from = c->at > NEAREST / 2 ? c->at - NEAREST / 2 : 0;

	if (from + NEAREST > c->n)
		from = c->n > NEAREST ? c->n - NEAREST : 0;
	for (size_t i = from; i < from + NEAREST && i < c->n; i++)
		if (!isnan(bend(c, i)))
			bends[n++] = bend(c, i);
	if (n < BENDS)
		return 0;
	return stats_median(bends, n) * BEND_TO_DIFFERENCE;
}

/*
 * The possible distance between two measurements of the row, as a part of it, by the scatter of its
 * curve: each point of the curve lies elsewhere in memory and in the predictors, as the row does in
 * another run. The seven nearest points are used; an edge, which bends the curve at two of them,
 * does not count. 0: the curve is too short to tell.
 */
static double curve_scatter(const struct set *set, const struct pooled *row)
{
	double most = 0;

	for (size_t i = 0; i < SWEPT; i++) {
		struct effect_curve c = curve_of(set, row, swept[i]);
		most = fmax(most, scatter_of(&c));
		free(c.point);
	}
	return most;
}

/* The size from which on a buffer no longer fits into L2, as measured; INFINITY: unknown. */
static double beyond_l2(const struct run_data *run)
{
	const json_t *l2 = run_summary(run, VALUE_l2_bytes);
	double bytes = number_of(l2, KEY_VALUE);

	return isnan(bytes) ? INFINITY : number_or(l2, KEY_HIGH, 2 * bytes);
}

/* Returns true if other guests of a host use the hardware that the row measures. */
static bool shared(const struct set *set, const struct pooled *p)
{
	const struct run_data *run = set->runs[0];

	if (!*text_of(run->head, KEY_HYPERVISOR))
		return false;
	return !strcmp(p->row->level, "memory") || !strcmp(p->row->level, "l3") ||
		!strcmp(p->row->level, "l4") ||
		row_parameter(p->row->json, "bytes") >= beyond_l2(run);
}

/*
 * The difference between two single runs in a room, also on a busy machine, that chance alone
 * causes (docs/method.md, "The gate"; an unknown room has `hosted`'s).
 */
struct usual {
	double typical; /* factor: largest standard deviation of the typical row */
	double most;    /* factor that 999 of 1000 rows with agreeing samples do not exceed */
};

static struct usual usual_factors(const char *room)
{
	static const struct {
		const char *room;
		struct usual usual;
	} rooms[] = { { "hosted", { 1.05, 2.2 } }, { "firmware", { 1.03, 1.8 } },
		{ "bare", { 1.03, 1.8 } } };

	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
		if (!strcmp(room, rooms[i].room))
			return rooms[i].usual;
	return rooms[0].usual;
}

/*
 * The assumed standard deviation between runs of the row, as a part of it: from NOISE_ASSUMED and
 * NOISE_SHARED, or from the scatter of the row's own curve, if that is more.
 */
static double assumed_noise(const struct set *set, const struct pooled *p)
{
	double most = fmax(curve_scatter(set, p), shared(set, p) ? NOISE_SHARED : NOISE_ASSUMED);

	return most / NOISE_DEVIATIONS;
}

/*
 * Returns true for `tlb` `cost`, `clock` `div3-...`, and any row with a median of 0 or less in a
 * run.
 */
static bool is_difference(const struct pooled *p)
{
	const struct row_data *row = p->row;

	for (size_t i = 0; i < p->nruns; i++)
		if (!(p->runs[i].median > 0))
			return true;
	return (!strcmp(row->probe, "tlb") && !strcmp(row->variant, "cost")) ||
		(!strcmp(row->probe, "clock") && !strncmp(row->variant, "div3-", 5));
}

/* The latency from which a `cost` of `tlb` was computed; NAN: the set does not have it. */
static double spread_latency(const struct set *set, const struct pooled *cost)
{
	json_t *like = json_copy(cost->row->json);

	json_object_set_new(like, "variant", json_string("spread"));
	char *identity = row_identity(like, false);
	const struct pooled *spread = set_find(set, identity);
	free(identity);
	json_decref(like);
	return spread ? spread->median : NAN;
}

/*
 * The reference of a difference, in its unit, above 0: for `tlb` `cost` the latency of `spread`
 * from which it was computed, of the first set; for others the larger median of both.
 */
static double whole_of(const struct set *base, const struct pooled *of_base,
	const struct pooled *other)
{
	double larger = fmax(fabs(of_base->median), fabs(other->median)), spread = NAN;

	if (!strcmp(of_base->row->probe, "tlb"))
		spread = spread_latency(base, of_base);
	return spread > 0 ? spread : larger > 0 ? larger : 1;
}

#define DEVIATIONS_MOST 3.29 /* of a normal distribution: 999 of 1000 values are nearer */

/* A row in both sets. */
struct row_pair {
	struct set_side side[2];
	double whole; /* reference of a difference; NAN: a ratio */
	struct cell *cell;
	const struct compared *row;
};

struct pairs {
	struct row_pair *pair;
	size_t n;
};

static double run_logarithm(const struct run_value *run, const struct cell *cell, const char *unit,
	double whole)
{
	if (cell->difference)
		return run->median / whole;
	return log(cell->cycles ? in_cycles(unit, run->median, run->core_hz) : run->median);
}

/*
 * Write the values of a row's runs to out[nruns], and return the variance of one run, as far as it
 * is known: both as logarithms (of core cycles if the cell is compared in them), or as parts of
 * `whole` if the row is compared as a difference.
 */
static struct variance row_values(const struct set *set, const struct pooled *p,
	const struct cell *cell, double whole, double *out)
{
	double squares = 0;

	for (size_t i = 0; i < p->nruns; i++) {
		const struct run_value *run = &p->runs[i];
		double error = run->error / (cell->difference ? whole : run->median);
		out[i] = run_logarithm(run, cell, p->row->unit, whole);
		squares += error * error;
	}
	return run_variance(assumed_noise(set, p), sqrt(squares / (double)p->nruns));
}

static struct set_side row_side(const struct set *set, const struct pooled *p,
	const struct cell *cell, double whole)
{
	double *values = new_array(p->nruns, sizeof *values);
	struct variance of_one = row_values(set, p, cell, whole, values);
	struct set_side side = side_of_values(values, p->nruns, of_one);

	free(values);
	return side;
}

static struct lot lot_of(const struct pairs *pairs, int side)
{
	struct variance *rows = new_array(pairs->n + 1, sizeof *rows);
	struct lot lot = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct set_side *s = &pairs->pair[i].side[side];
		if (isnan(s->own))
			continue;
		rows[n++] = (struct variance){ s->own / s->expected, s->runs - 1 };
		lot.df += s->runs - 1;
	}
	lot.prior = variance_prior(rows, n);
	free(rows);
	return lot;
}

/* The slowdown of b against a, 1 = as fast; NAN if the unit is no speed or a value is not > 0. */
static double slowdown(const char *unit, double a, double b)
{
	enum better better = unit_better(unit);

	if (better == BETTER_NEITHER || !(a > 0) || !(b > 0))
		return NAN;
	return better == BETTER_LOW ? b / a : a / b;
}

/* Convert the effect to the numbers that people read. */
static void show_effect(struct row_pair *p)
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

/*
 * The largest of n p that counts as a difference, 0: none (Benjamini and Hochberg 1995). Sorts p.
 */
static double largest_p(double *p, size_t n)
{
	double largest = 0;

	stats_sort(p, n);
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

/* Returns true if the slowdown lies between 0 and that of the clock. */
static bool by_clock(double slower, double clock, double half)
{
	double low = fmin(0, log(clock)) - half, high = fmax(0, log(clock)) + half;

	return slower > 0 && clock > 0 && log(slower) >= low && log(slower) <= high;
}

static bool by_edge(const struct comparison *c, size_t s, const struct row_pair *p, double half)
{
	const struct pooled *a = p->row->cells[0].row, *b = p->cell->row;
	double scale = p->cell->ratio * a->median / b->median; /* core cycles of a at b's clock */

	return !isnan(p->cell->ratio) && curve_holds(&c->sets.set[0], a, scale * b->median, half) &&
		curve_holds(&c->sets.set[s], b, a->median / scale, half);
}

static enum because cause_of(const struct comparison *c, size_t s, const struct row_pair *p)
{
	double half = effect_half(&p->cell->effect);
	double clock = p->row->cells[0].row->core_hz / p->cell->row->core_hz;

	if (!p->cell->cycles && !p->cell->difference && by_clock(p->cell->slower, clock, half))
		return BECAUSE_CLOCK;
	return by_edge(c, s, p, half) ? BECAUSE_EDGE : BECAUSE_NOTHING;
}

static void judge_pair(const struct comparison *c, size_t s, const struct row_pair *p,
	double largest)
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

static bool is_single(const struct row_pair *p)
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
	struct row_pair pair = { { row_side(base, p, cell, whole),
					 row_side(set, cell->row, cell, whole) },
		whole, cell, row };
	if (!isfinite(pair.side[0].mean) || !isfinite(pair.side[1].mean))
		return false;
	pairs->pair[pairs->n++] = pair;
	return true;
}

static void no_effect(struct cell *cell)
{
	cell->ratio = cell->change = cell->low = cell->high = cell->slower = cell->runs = NAN;
	cell->effect = (struct effect){ NAN, NAN, NAN, NAN };
}

/*
 * Correct a row with a single run. Its error is scaled by the differences between rows, up to the
 * usual error in the room. Chance makes it differ by no more than the largest difference known in
 * the room and the scatter of its samples, unless the median is one of disturbed samples.
 */
static void rescale_single(const struct row_pair *p, const struct lots *lots)
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
			no_effect(&c->rows[i].cells[s]);
	for (int side = 0; side < 2; side++)
		c->lots[s].of[side] = lot_of(&pairs, side);
	for (size_t i = 0; i < pairs.n; i++)
		pairs.pair[i].cell->effect = effect_of(pairs.pair[i].side, c->lots[s].of);
	c->lots[s].scale = scale_of(&pairs);
	usual_of(c, s);
	for (size_t i = 0; i < pairs.n; i++) {
		if (is_single(&pairs.pair[i]))
			rescale_single(&pairs.pair[i], &c->lots[s]);
		show_effect(&pairs.pair[i]);
	}
	double largest = largest_of(&pairs);
	for (size_t i = 0; i < pairs.n; i++)
		judge_pair(c, s, &pairs.pair[i], largest);
	free(pairs.pair);
}

void group_name(const struct effect_group *g, char out[GROUP_NAME])
{
	snprintf(out, GROUP_NAME, "%s%s%s%s%s", g->level, *g->level ? " " : "", g->kind,
		*g->pages ? " with " : "", g->pages);
}

struct gathering gather(const struct comparison *c, size_t s, struct effect_group *g)
{
	struct gathering all = { .c = c, .set = s, .group = g };

	for (int side = 0; side < 2; side++) {
		size_t runs = c->sets.set[side ? s : 0].nruns;
		all.sums[side] =
			(struct effect_sums){ new_array(runs, sizeof(double)), runs, 0, 0, 0 };
	}
	g->size = g->low = g->high = g->p = g->runs = NAN;
	g->cycles = true;
	return all;
}

static double towards_slower(const char *unit)
{
	return unit_better(unit) == BETTER_HIGH ? -1 : 1;
}

static void add_row(struct effect_sums *sums, const struct set *set, const struct pooled *p,
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

/*
 * The side of a group. The deviation between repeated runs is common to all rows of a run; the
 * errors of medians are independent.
 */
static struct set_side group_side(struct effect_sums *sums)
{
	double rows = (double)sums->rows;

	for (size_t i = 0; i < sums->runs; i++)
		sums->run[i] /= rows;
	return side_of_values(sums->run, sums->runs,
		run_variance(sums->assumed / rows, sqrt(sums->squares) / rows));
}

static void conclude(struct gathering *all)
{
	struct set_side side[2] = { group_side(&all->sums[0]), group_side(&all->sums[1]) };
	const struct lots *lots = &all->c->lots[all->set];
	struct effect e = effect_of(side, lots->of);
	struct effect_group *g = all->group;

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

void groups_judge(const struct comparison *c, struct effect_group *groups, size_t n)
{
	double *p = new_array(n + 1, sizeof *p), margin = log1p(c->margin);
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(groups[i].p))
			p[known++] = groups[i].p;
	double largest = largest_p(p, known);
	for (size_t i = 0; i < n; i++) {
		struct effect_group *g = &groups[i];
		g->verdict = VERDICT_UNKNOWN;
		if (fmax(-g->low, g->high) <= margin && !isnan(g->size))
			g->verdict = VERDICT_SAME;
		else if (g->p <= largest)
			g->verdict = g->size > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
	}
	free(p);
}

static void count_row(struct effect_group *g, const struct compared *row, const struct cell *cell)
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

static void gather_probe(const struct comparison *c, size_t s, const char *probe,
	struct effect_group *g)
{
	struct gathering all = gather(c, s, g);

	for (size_t i = 0; i < c->nrows; i++) {
		const struct compared *row = &c->rows[i];
		const struct cell *cell = &row->cells[s];
		if (strcmp(row->probe, probe) || !row_counts(row, cell) || !cell->exact)
			continue;
		count_row(g, row, cell);
		gather_row(&all, row->cells[0].row, cell);
	}
	gathered(&all);
}

static bool probe_known(const struct effect_group *groups, size_t n, const char *probe)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(groups[i].kind, probe))
			return true;
	return false;
}

size_t groups_of_probes(const struct comparison *c, size_t s, struct effect_group *out, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nrows && n < most; i++) {
		const char *probe = c->rows[i].probe;
		if (probe_known(out, n, probe))
			continue;
		out[n] = (struct effect_group){ 0 };
		snprintf(out[n].kind, sizeof out[n].kind, "%s", probe);
		gather_probe(c, s, probe, &out[n]);
		n += out[n].rows > 0;
	}
	groups_judge(c, out, n);
	return n;
}
