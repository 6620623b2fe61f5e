/* SPDX-License-Identifier: MIT */
/* The second level of translations: where it ends, what a hit and a walk cost. */
#include "probes/tlb/tlb_second_level.h"

#include "lib/math.h"

#define HIT_CONFIDENCE  0.9  /* a whole plateau */
#define WALK_CONFIDENCE 0.8  /* one point of a plateau */
#define HALF_MISS       1.6  /* times the entries: there, half miss even with random replacement */
#define ALL_MISS        1.25 /* times the entries: there all miss with LRU in sets of four */
#define CLIFF           3    /* factor between a hit and a walk there, after ENTRY_OFFSET */
#define MOST_MISS       0.9  /* of the rise: where it is done, the level has ended in any case */
#define SAME_FROM       1.25 /* times the pages: what costs as much there is flat */
#define SAME_RISE       0.02 /* of the cost, up or down, in an octave */
#define SPREAD_LOSS     0.5  /* confidence lost by an edge that is spread over the rise */
#define RISE_SPAN       4    /* times the entries: there the rise is over with random replacement */
#define RAMP_COUNTS     4    /* up to where all miss, none of which costs less: its end */
#define FALLS_ALONE     0.1  /* of the rises: costs that fall more are not of this thread alone */
#define FLAT_SPAN       1.4  /* times the pages: so far a walk's plateau goes among such costs, */
#define FLAT_SCATTER    0.07 /* of the cost, up or down, between any of its points and its first */

#define REACH_MISSES  0.1  /* of the pages, at most: more rest too much on what a walk costs */
#define REACH_WALK    1.5  /* times the pages: so many and more are walked for, each */
#define REACH_WALK_TO 2.5  /* times the pages: so far; beyond, caches make a walk cost more */
#define REACH_HALF    0.5  /* of that, a walk may cost just beyond the level: caches hold more */
#define REACH_MOST    0.5  /* of the pages, walked for: they are too many */
#define REACH_SCATTER 0.1  /* of a hit, by which hits differ where no walk is known */
#define REACH_OVER    1.03 /* times the value: beyond, it is denied */
#define PART_LOSS     0.5 /* confidence is divided by 1 + this x octaves of which a part is taken */
#define NO_COST       -1.5 /* core cycles: what seems to cost less is none, as COST_BELOW */

#define STILL_RISES "the cost still rises at the most pages"

/* The least cost of a level above one that costs `hit`. */
static double least_walk(double hit)
{
	return entry_rules.rise * (hit + entry_rules.offset) - entry_rules.offset;
}

/* The least cost that is surely that of walks, for most of the pages. */
static double cliff_above(double hit)
{
	return CLIFF * (hit + entry_rules.offset) - entry_rules.offset;
}

/*
 * Returns the cost of a walk with this many pages, from counts of which most need a walk; 0: none.
 */
static double walk_past(const struct curve *c, double pages)
{
	double walk = 0;

	for (unsigned i = 0; i < c->n && c->point[i].x <= REACH_WALK_TO * pages; i++)
		if (c->point[i].x >= REACH_WALK * pages)
			walk = c->point[i].y;
	return walk;
}

bool tlb_too_many(const struct costs *costs, unsigned i, double hit)
{
	double walk = walk_past(&costs->usable, costs->all.point[i].x);
	double most = walk > 0 ? hit + REACH_MOST * (walk - hit) : cliff_above(hit);

	return costs->all.outermost[i].y[0] >= most;
}

/*
 * Returns the number of pages translated without a walk, from their cost: each had an entry. 0:
 * most needed a walk, or it is no cost.
 */
static double pages_hit(const struct costs *costs, double pages, double cost, double hit)
{
	double above = math_max(0, cost - hit);
	double most = REACH_HALF * walk_past(&costs->usable, pages) - hit;
	double misses = above > REACH_SCATTER * hit;

	if (!(cost > NO_COST))
		return 0;
	if (most > 0)
		misses = above / most;
	return misses > REACH_MISSES ? 0 : pages * (1 - misses);
}

/*
 * Returns the least number of entries of the level: the pages that hit at the second best moment,
 * because a single measurement may be bad. Entries that others take only add to a cost. 0: unknown.
 */
static double reach_of(const struct costs *costs, double hit)
{
	const struct curve *c = &costs->all;
	double most[2] = { 0 };

	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < 2 && k < c->outermost[i].times; k++) {
			double pages = pages_hit(costs, c->point[i].x, c->outermost[i].y[k], hit);

			most[1] = math_max(most[1], math_min(pages, most[0]));
			most[0] = math_max(most[0], pages);
		}
	return (double)(uint64_t)most[1];
}

unsigned tlb_shown_once(const struct costs *costs, double least, double hit)
{
	const struct curve *c = &costs->all;
	unsigned at = c->n;

	for (unsigned i = 0; i < c->n; i++) {
		double pages = pages_hit(costs, c->point[i].x, c->outermost[i].y[0], hit);

		if (pages > least) {
			least = pages;
			at = i;
		}
	}
	return at;
}

/* The cost of a walk as point i has it. */
static struct estimate walk_at(const struct curve *c, unsigned i)
{
	return time_on_curve(plain_estimate(c->point[i].y, WALK_CONFIDENCE), c, i, i);
}

/* The first of from..last that costs what SAME_FROM times the pages cost; c->n: none does. */
static unsigned first_flat(const struct curve *c, unsigned from, unsigned last)
{
	const struct curve_point *p = c->point;

	for (unsigned i = from, k = from; i <= last; i++) {
		while (k < c->n && p[k].x < SAME_FROM * p[i].x)
			k++;
		if (k < c->n &&
			math_abs(p[k].y / p[i].y - 1) <= SAME_RISE * math_log2(p[k].x / p[i].x))
			return i;
	}
	return c->n;
}

/*
 * The walks' plateau: where it is first flat; else the least of its flattest part, as more lines
 * miss caches, and at the edge of one more of them than beside it.
 */
static struct estimate walk_on(const struct curve *c, const struct stair *hits,
	const struct stair *walks)
{
	unsigned from = hits->last, at, least = walks->first;

	while (from < walks->first && c->point[from].y < least_walk(hits->y))
		from++;
	at = first_flat(c, from, walks->last);
	for (unsigned i = walks->first; i <= walks->last; i++)
		if (c->point[i].y < c->point[least].y)
			least = i;
	return walk_at(c, at < c->n ? at : least);
}

/* The lowest from x on, where no two points cost the same: what caches do can only add to it. */
static struct estimate lowest_beyond(const struct curve *c, double x)
{
	unsigned at = c->n - 1;

	if (c->point[at].x < x)
		return not_resolved(STILL_RISES);
	for (unsigned i = at; i && c->point[i].x >= x; i--)
		if (c->point[i].y < c->point[at].y)
			at = i;
	return walk_at(c, at);
}

/*
 * Find the place where the cost stops rising above the second level's edge, a level's factor above
 * a hit in it.
 */
static struct estimate walk_beyond(const struct curve *c, const struct estimate *edge, double hit)
{
	struct estimate walk = infer_flat_beyond(c->point, c->n, edge->value);

	return walk.value < least_walk(hit) ? not_resolved(STILL_RISES) : walk;
}

/*
 * Returns the x at which the cost first reaches y, between two points; *at: the index of the
 * second; n: nowhere.
 */
static double reached(const struct curve *c, double y, unsigned *at)
{
	const struct curve_point *p = c->point;
	unsigned i = 1;

	while (i < c->n && p[i].y < y)
		i++;
	*at = i;
	if (i == c->n)
		return NOT_A_NUMBER;
	double part = p[i].y > p[i - 1].y ? (y - p[i - 1].y) / (p[i].y - p[i - 1].y) : 1;

	return p[i - 1].x + math_clamp(part, 0, 1) * (p[i].x - p[i - 1].x);
}

/*
 * Returns true if the level is known to the entry and the costs beyond it only rise until all miss,
 * as they do at the end of sets: nothing else takes entries of it.
 */
static bool only_rises(const struct curve *c, const struct estimate *edge)
{
	unsigned counts = 0;

	for (unsigned i = 1; i < c->n && c->point[i].x <= ALL_MISS * edge->value; i++) {
		if (c->point[i].x <= edge->value)
			continue;
		if (c->point[i].y < (1 - SAME_RISE) * c->point[i - 1].y)
			return false;
		counts++;
	}
	return counts >= RAMP_COUNTS && edge->high - edge->low <= 1;
}

/*
 * Returns true if the costs beyond the edge fall as well as rise: more entries hit than a moment
 * before. A level that only this thread uses does not do that.
 */
static bool taken_at_times(const struct curve *c, const struct estimate *edge)
{
	double up = 0, down = 0;

	for (unsigned i = 1; i < c->n && c->point[i].x <= RISE_SPAN * edge->value; i++) {
		double step = c->point[i].y - c->point[i - 1].y;

		if (c->point[i].x > edge->value)
			*(step > 0 ? &up : &down) += math_abs(step);
	}
	return down > FALLS_ALONE * up;
}

/*
 * Entries that something else takes at times, such as the other thread of a core, end over more
 * pages than even random replacement explains: the level may end anywhere up to where most of the
 * rise is done. Misses m at k times the entries: m = 1 - exp(-m k).
 */
static struct estimate spread_over_the_rise(const struct curve *c, struct estimate e, double hit,
	double walk)
{
	double rise = walk - hit;
	unsigned at;

	if (e.reason || !(reached(c, hit + rise / 2, &at) > HALF_MISS * e.value))
		return e;
	reached(c, hit + MOST_MISS * rise, &at);
	e.high = math_max(e.high, c->point[at < c->n ? at : c->n - 1].x);
	return less_sure(e, SPREAD_LOSS);
}

/*
 * Returns true if the cost just beyond the edge is that of a walk, although caches soon raise it:
 * when all miss, even with LRU in sets of four, it is several times a hit.
 */
static bool is_cliff(const struct curve *c, const struct estimate *edge, double hit)
{
	unsigned at;

	return !edge->reason && reached(c, cliff_above(hit), &at) <= ALL_MISS * edge->value;
}

/* Returns true if the costs from point i on are those of a plateau of half an octave. */
static bool is_flat(const struct curve *c, unsigned i)
{
	const struct curve_point *first = &c->point[i], *p = first + 1, *end = c->point + c->n;

	while (p < end && math_abs(p->y - first->y) <= FLAT_SCATTER * first->y) {
		if (p->x >= FLAT_SPAN * first->x)
			return true;
		p++;
	}
	return false;
}

/*
 * Read a curve whose costs go up and down: a walk's costs are those of a plateau, and the level
 * ends anywhere before it.
 */
static void read_among_falls(struct reader *reader, const struct curve *c,
	const struct stair *level, struct found_levels *l)
{
	struct estimate edge = level->edge;
	unsigned i = 0;

	while (i < c->n &&
		!(c->point[i].x > edge.value && c->point[i].y >= least_walk(level->y) &&
			is_flat(c, i)))
		i++;
	if (i == c->n) {
		l->second = l->walk = not_resolved(STILL_RISES);
		return;
	}
	edge.high = math_max(edge.high, c->point[i].x);
	l->second = edge_of(reader, c, less_sure(edge, SPREAD_LOSS));
	l->walk = walk_at(c, i);
}

/* Returns true if half of the measured rise is done within the edge's bracket. */
static bool is_sharp(const struct curve *c, const struct estimate *edge, double hit)
{
	double most = hit;
	unsigned at;

	for (unsigned i = 0; i < c->n; i++)
		most = math_max(most, c->point[i].y);
	return reached(c, (hit + most) / 2, &at) <= edge->high;
}

/* Returns the cost of a walk beyond the second level, whose plateau is number `at`. */
static struct estimate walk_of(const struct curve *c, const struct staircase *s, unsigned at)
{
	const struct stair *level = &s->level[at];
	bool in_steps = at + 1 < s->count && s->level[at + 1].hidden;
	struct estimate walk = not_resolved(STILL_RISES);
	unsigned walks = at + 1;

	while (walks < s->count && s->level[walks].hidden)
		walks++;
	if (in_steps || walks == s->count)
		walk = walk_beyond(c, &level->edge, level->y);
	if (walks < s->count && (!in_steps || walk.reason) &&
		!(in_steps && is_cliff(c, &level->edge, level->y)))
		walk = walk_on(c, level, &s->level[walks]);
	return walk;
}

static struct estimate hit_on(const struct curve *c, const struct stair *level)
{
	return time_on_curve(plain_estimate(level->y, HIT_CONFIDENCE), c, level->first,
		level->last);
}

/* Reads the second level by the curve's shape. */
static void read_shape(struct reader *reader, const struct curve *c, const struct staircase *s,
	unsigned at, struct found_levels *l)
{
	const struct stair *level = &s->level[at];
	struct estimate edge = level->edge;
	bool cliff = is_cliff(c, &edge, level->y);

	l->hit = hit_on(c, level);
	if (!edge.reason && !cliff && !only_rises(c, &edge) && taken_at_times(c, &edge)) {
		read_among_falls(reader, c, level, l);
		return;
	}
	l->walk = walk_of(c, s, at);
	if (!l->walk.reason)
		edge = spread_over_the_rise(c, edge, level->y, l->walk.value);
	else if (cliff)
		l->walk = lowest_beyond(c, ALL_MISS * edge.value);
	else if (!edge.reason && !is_sharp(c, &edge, level->y))
		edge = not_resolved(STILL_RISES);
	l->second = edge_of(reader, c, edge);
}

/* The cheapest walk among counts of which each page takes one; else that of the shape, `open`. */
static struct estimate cheapest_walk(const struct costs *costs, double least, double hit,
	struct estimate open)
{
	const struct curve *c = &costs->all;
	unsigned at = 0, cheapest = c->n;

	while (at < c->n && !(c->point[at].x > least && tlb_too_many(costs, at, hit)))
		at++;
	for (unsigned i = at; i < c->n; i++)
		if (c->point[i].x >= REACH_WALK * c->point[at].x &&
			(cheapest == c->n || c->point[i].y < c->point[cheapest].y))
			cheapest = i;
	if (cheapest < c->n)
		return walk_at(c, cheapest);
	return open.value < cliff_above(hit) ? not_resolved(STILL_RISES) : open;
}

/*
 * From what is there at least to the first count that was too many at all moments; else `open`.
 * That one moment more would say otherwise has the chance 1 / (moments + 1), by Laplace's rule of
 * succession. Who always takes a part makes each count too many that ends within what is left and
 * what is taken: a wide bracket is less sure.
 */
static struct estimate up_to_too_many(const struct costs *costs, double least, double hit,
	struct estimate open)
{
	const struct curve *c = &costs->all;

	for (unsigned i = 0; i < c->n; i++)
		if (c->point[i].x > least && c->outermost[i].times >= TLB_MOMENTS &&
			tlb_too_many(costs, i, hit))
			return resolved(least, least, c->point[i].x,
				(1 - 1 / (double)(TLB_MOMENTS + 1)) /
					(1 + PART_LOSS * math_log2(c->point[i].x / least)));
	return open;
}

void tlb_second_level(struct reader *reader, const struct costs *costs, const struct staircase *s,
	unsigned at, struct found_levels *l)
{
	const struct curve *c = &costs->usable;
	const struct stair *level = &s->level[at];
	struct estimate *second = &l->second;
	bool ends = at + 1 < s->count || s->rising;
	double least;

	if (level->hidden) { /* it may as well be a step within the first level's edge */
		l->second = l->hit = l->walk = not_resolved("levels run into one another");
		return;
	}
	if (ends)
		read_shape(reader, c, s, at, l);
	else
		l->hit = hit_on(c, level);
	least = reach_of(costs, level->y);
	if (!second->reason && least > REACH_OVER * second->value)
		*second = not_resolved("more pages hit at another moment");
	if (second->reason && least > 0) {
		*second = up_to_too_many(costs, least, level->y, *second);
		l->walk = cheapest_walk(costs, least, level->y, l->walk);
	} else if (!second->reason && least > second->low && least < second->high) {
		second->low = least;
		second->value = math_max(second->value, least);
	}
	second->least = least;
}
