/* SPDX-License-Identifier: MIT */
/*
 * Choose the x to measure next, so that an edge is known more closely; docs/method.md, "Bisection".
 */
#include <stdint.h>

#include "engine/infer/points.h"
#include "lib/math.h"

#define MIDDLE_FROM 0.25 /* of the gap's logarithm: the next x is not nearer to an end */
#define MIDDLE_TO   0.75
#define PLACE_SLACK 1.05 /* by which a place of a soft edge may move with new points */

/* x = from + k * grain: k of the point at a part of the gap's logarithm. */
static double steps_at(double low, double high, double part, const struct resolution *r)
{
	double x = low * math_exp(part * math_log(high / low));

	return (x - r->from) / r->grain;
}

static double round_down(double x)
{
	double whole = (double)(int64_t)x;

	return whole > x ? whole - 1 : whole;
}

static double nearest(double x)
{
	return round_down((2 * x + 1) / 2);
}

/* The whole number of [from, to] with the fewest significant bits: there is one such. */
static double simplest(double from, double to)
{
	double unit = 1;

	while (round_down(to / (2 * unit)) * (2 * unit) >= from)
		unit *= 2;
	return round_down(to / unit) * unit;
}

/*
 * The x at which a gap is to be measured next: of those in its middle part the simplest number, as
 * a multiple of the grain. NAN: the gap is as small as it has to be, or low < high does not hold.
 */
static double infer_bisect(double low, double high, const struct resolution *r)
{
	if (!(low > 0) || !(high > low) || high <= low * r->ratio)
		return NOT_A_NUMBER;
	double first = round_down((low - r->from) / r->grain + 1e-9) + 1;
	double last = round_down((high - r->from) / r->grain - 1e-9);
	double middle = steps_at(low, high, (MIDDLE_FROM + MIDDLE_TO) / 2, r), k;
	double from = -round_down(-steps_at(low, high, MIDDLE_FROM, r));
	double to = round_down(steps_at(low, high, MIDDLE_TO, r));

	if (first > last)
		return NOT_A_NUMBER;
	k = math_clamp(from <= to ? simplest(from, to) : nearest(middle), first, last);
	return r->from + k * r->grain;
}

double infer_bisect_bracket(const struct estimate *e, const struct resolution *r)
{
	return e->reason ? NOT_A_NUMBER : infer_bisect(e->low, e->high, r);
}

/* The list of x to measure next. */
struct bisect_list {
	double *x;
	unsigned n, max;
};

static void add_size(struct bisect_list *l, double x)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->x[i] == x)
			return;
	if (math_finite(x) && l->n < l->max)
		l->x[l->n++] = x;
}

/* The gap of the curve in which a place of a soft edge lies. false: it is close enough. */
static bool add_place(struct bisect_list *l, const struct curve_point *curve, unsigned n,
	double place, const struct resolution *r)
{
	struct resolution near = *r;

	double next = NOT_A_NUMBER;

	near.ratio = math_max(r->ratio, SOFT_STEP);
	for (unsigned i = 0; i + 1 < n; i++)
		if (place > curve[i].x && place < curve[i + 1].x)
			next = infer_bisect(curve[i].x, curve[i + 1].x, &near);
	add_size(l, next);
	return math_finite(next);
}

/*
 * A bracket of sizes is two gaps where the point between them is above the level by so little that
 * the level may end on either side of it: each is to be half as wide.
 */
static void add_halves(struct bisect_list *l, const struct curve_point *curve, unsigned n,
	const struct estimate *e, const struct resolution *r)
{
	struct resolution half = *r;

	half.ratio = 1 + (r->ratio - 1) / 2;
	if (!(e->high > e->low * r->ratio) || e->high > e->low * r->ratio * r->ratio)
		return;
	for (unsigned i = 0; i + 1 < n; i++)
		if (curve[i].x >= e->low && curve[i + 1].x <= e->high)
			add_size(l, infer_bisect(curve[i].x, curve[i + 1].x, &half));
}

static void add_edge(struct bisect_list *l, const struct curve_point *curve, unsigned n,
	const struct stair *s, const struct resolution *r)
{
	if (s->edge.reason)
		return;
	add_size(l, infer_bisect(s->below, s->next, r));
	if (!(s->edge.rise_10 > 0))
		add_halves(l, curve, n, &s->edge, r);
	for (unsigned i = 0; i < PLACES; i++) {
		if (add_place(l, curve, n, s->part[i], r) || !(s->edge.rise_10 > 0))
			continue;
		add_place(l, curve, n, s->part[i] / PLACE_SLACK, r);
		add_place(l, curve, n, s->part[i] * PLACE_SLACK, r);
	}
}

/*
 * Gaps across which the cost rises by a level's factor: in a long one a level may be hidden, in one
 * of entries the ramp that tells the edge.
 */
static void split_steps(struct bisect_list *l, const struct fitted *w,
	const struct curve_point *curve, const struct staircase_rules *rules,
	const struct resolution *r)
{
	double least = rules->lost > 0 ? 0 : SPLIT_OCTAVES;

	for (unsigned i = 0; i + 1 < w->n; i++)
		if (w->x[i + 1] - w->x[i] > least && w->fit[i + 1] - w->fit[i] >= w->rise)
			add_size(l, infer_bisect(curve[i].x, curve[i + 1].x, r));
}

unsigned infer_bisect_staircase(const struct curve_point *curve, unsigned n,
	const struct staircase_rules *rules, const struct resolution *r, double *next, unsigned max)
{
	unsigned room = INFER_POINTS - n; /* a curve that scatters is bisected until it is full */
	struct bisect_list l = { next, 0, max < room ? max : room };
	struct staircase s;
	struct fitted w;

	if (infer_fit(&w, curve, n, rules))
		return 0;
	split_steps(&l, &w, curve, rules, r);
	infer_staircase(curve, n, rules, &s);
	for (unsigned i = 0; i < s.count; i++)
		add_edge(&l, curve, w.n, &s.level[i], r);
	return l.n;
}
