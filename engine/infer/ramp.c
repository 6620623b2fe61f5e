/* SPDX-License-Identifier: MIT */
/*
 * The edge of a table of sets with least recently used entries, from the ramp above it;
 * docs/method.md, "Edges". Entries visited in turn, one more than a set holds, all miss. So the
 * first k entries too many make k (ways + 1) of n miss: n times the added cost is a straight line
 * over n, and it begins at the capacity. Beyond 1 + 1 / ways of it all miss.
 */
#include "engine/infer/ramp.h"
#include "lib/math.h"
#include "lib/stats.h"

#define RAMP_LONGEST 1.07 /* last x over the edge: sets of 16 are all too full at 17/16 of it */
#define RAMP_POINTS  3    /* that are on it, at least */
#define RAMP_ERROR   0.02 /* of the last one's rise: standard deviation of the points */
#define RAMP_LEVEL   0.25 /* of what one entry too many adds: a point that costs no more has none */
#define RAMP_ENTRIES 0.3  /* the same in entries, where the level scatters less */
#define RAMP_SIGMAS  3    /* of the level's scatter: a point that costs no more may be on it */
#define LEVEL_POINTS 4    /* that tell how far they scatter, at least */
#define RAMP_NEXT    1.01 /* factor from the last point on the level to the next, at most */
#define RAMP_SLACK   0.5  /* x by which the noise may move where the line begins */
#define FLAT_FROM    1.05 /* factor between two x that cost the same, at least */
#define FLAT_TO      1.5  /* and at most */
#define FLAT_RISE    0.05 /* of the cost, between the two, up or down */
#define FLAT_SURE    0.7  /* two points, no plateau */

static double sum_of_entries(const struct curve_point *p, double base)
{
	return p->x * (p->y - base);
}

/*
 * The points above index `at` that lie on the ramp, as n times the added cost: as many as are on a
 * line. Returns how many.
 */
static unsigned take_ramp(const struct curve_point *curve, unsigned at, unsigned last, double base,
	struct curve_point ramp[INFER_POINTS])
{
	unsigned n = 0;

	for (unsigned i = at + 1; i <= last && curve[i].x <= RAMP_LONGEST * curve[at].x; i++) {
		double rise = sum_of_entries(&curve[i], base);

		if (n && rise <= ramp[n - 1].y)
			break; /* the ramp is over: every set is too full */
		ramp[n++] = (struct curve_point){ curve[i].x, rise };
	}
	return n;
}

static struct straight_line line_of(const struct curve_point *ramp, unsigned n)
{
	double y[INFER_POINTS];

	for (unsigned i = 0; i < n; i++)
		y[i] = ramp[i].y;
	return points_line(ramp, y, 0, n - 1);
}

/* By how much the points of the level up to `at` scatter, in y's unit; 0: too few to tell. */
static double scatter(const struct fitted *w, const struct transition *t, unsigned at)
{
	double apart[INFER_POINTS];
	unsigned n = 0;

	for (unsigned i = t->plateau; i <= at; i++)
		apart[n++] = math_abs(math_exp(w->raw[i]) - math_exp(t->level));
	return n < LEVEL_POINTS ? 0 : MAD_TO_SIGMA * stats_median(apart, n);
}

/*
 * The longest part of the ramp, from its start, that is straight to a part of an entry, or as far
 * as the noise lets it. false: none is.
 */
static bool straight(const struct curve_point *ramp, unsigned n, double noise,
	struct straight_line *l)
{
	for (; n >= RAMP_POINTS; n--) {
		double x = ramp[n - 1].x, most;

		*l = line_of(ramp, n);
		most = math_max(RAMP_ENTRIES * l->slope, RAMP_SIGMAS * noise * x);
		most = math_min(most, RAMP_ERROR * ramp[n - 1].y);
		if (l->slope > 0 && l->errors <= n * most * most)
			return true;
	}
	return false;
}

/*
 * The line of the ramp without its first points if these have not even one entry too many, by what
 * the line of all says that costs, and the level scatters as far. false: none is straight.
 */
static bool line_of_misses(const struct curve_point *ramp, unsigned n, double noise,
	struct straight_line *l)
{
	unsigned on_level = 0;

	if (!straight(ramp, n, noise, l))
		return false;
	while (on_level + RAMP_POINTS < n &&
		ramp[on_level].y < math_min(l->slope, RAMP_SIGMAS * noise * ramp[on_level].x))
		on_level++;
	return !on_level || straight(ramp + on_level, n - on_level, noise, l);
}

/*
 * Returns the level's cost at its end. So many entries have lines in the caches, which makes a
 * little difference that may be noise. Point `at`, or the one just before, is the last one on the
 * level.
 */
static double base_of(double level, double noise, const struct curve_point *curve, unsigned at)
{
	double here = curve[at].y;

	if (at && curve[at].x <= RAMP_NEXT * curve[at - 1].x)
		here = math_min(here, curve[at - 1].y);
	return here < level - RAMP_SIGMAS * noise ? here : level;
}

/*
 * The count nearest to where the line begins. But what costs no more than the level, by a part of
 * what one entry too many costs, is on it, wherever the line of the points beyond begins: the line
 * bends where the first sets miss with all of theirs.
 */
static double last_entry(const struct curve_point *p, double level, const struct straight_line *l)
{
	double nearest = (double)(int64_t)((2 * -l->at / l->slope + 1) / 2);

	return p->y - level <= RAMP_LEVEL * l->slope / p->x ? math_max(nearest, p->x) : nearest;
}

/* Each entry too many makes two or more miss, and a miss costs a level's factor more. */
static bool steep_enough(const struct fitted *w, double base, const struct straight_line *l)
{
	return l->slope >= 2 * (math_exp(w->rise) - 1) * (base + w->offset);
}

bool infer_ramp(const struct fitted *w, const struct curve_point *curve, const struct transition *t,
	unsigned at, struct estimate *e)
{
	double level = math_exp(t->level) - w->offset, noise = scatter(w, t, at);
	double base = base_of(level, noise, curve, at);
	struct curve_point ramp[INFER_POINTS];
	double nearest;
	struct straight_line l;
	unsigned n = take_ramp(curve, at, t->last, base, ramp);

	if (!line_of_misses(ramp, n, noise, &l))
		return false;
	if (!steep_enough(w, base, &l))
		return false;
	nearest = last_entry(&curve[at], level, &l);
	/* the level's noise, as so many x along the line */
	if (w->noise * (base + w->offset) * nearest / l.slope > RAMP_SLACK)
		return false;
	/* the last point at the foot may be the first of the ramp: nothing else costs less */
	if (nearest < curve[at ? at - 1 : 0].x || nearest > e->high)
		return false;
	e->value = e->low = nearest;
	e->high = nearest + 1;
	return true;
}

double infer_line_begin(const struct fitted *w, const struct curve_point *curve,
	const struct transition *t, unsigned at)
{
	struct curve_point ramp[INFER_POINTS];
	double base = math_exp(t->level) - w->offset;
	unsigned n = take_ramp(curve, at, t->last, base, ramp);

	for (; n >= RAMP_POINTS; n--) {
		struct straight_line l = line_of(ramp, n);
		double begin = -l.at / l.slope, most = RAMP_ERROR * ramp[n - 1].y;

		if (l.errors <= n * most * most && begin * RAMP_LONGEST >= curve[at].x &&
			steep_enough(w, base, &l))
			return begin;
	}
	return NOT_A_NUMBER;
}

/* The first point from i on that is far enough to tell a ramp from a flat place; n: none is. */
static unsigned far_enough(const struct curve_point *curve, unsigned n, unsigned i)
{
	double from = curve[i].x;

	while (i < n && curve[i].x < FLAT_FROM * from)
		i++;
	return i < n && curve[i].x <= FLAT_TO * from ? i : n;
}

struct estimate infer_flat_beyond(const struct curve_point *curve, unsigned n, double edge)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned k = curve[i].x > edge ? far_enough(curve, n, i) : n;

		if (k < n && math_abs(curve[k].y - curve[i].y) <= FLAT_RISE * curve[i].y)
			return resolved(curve[i].y, NOT_A_NUMBER, NOT_A_NUMBER, FLAT_SURE);
	}
	return not_resolved("the cost still rises at the most pages");
}
