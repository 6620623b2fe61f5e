/* SPDX-License-Identifier: MIT */
/*
 * Where a level ends; docs/method.md, "Edges". The cost of a level is that of the points just below
 * the steep part; the level ends with the last point that costs no more.
 */
#include "infer/edge.h"

#include "infer/points.h"
#include "lib/math.h"
#include "lib/stats.h"

/*
 * The edge of a table of sets with least recently used entries, from the ramp above it;
 * docs/method.md, "Edges". Entries visited in turn, one more than a set holds, all miss. So the
 * first k entries too many make k (ways + 1) of n miss: n times the added cost is a straight line
 * over n, and it begins at the capacity. Beyond 1 + 1 / ways of it all miss.
 */

#define RAMP_LONGEST 1.07 /* last x over the edge: sets of 16 are all too full at 17/16 of it */
#define RAMP_POINTS  3    /* that are on it, at least */
#define RAMP_ERROR   0.02 /* of the last one's rise: standard deviation of the points */
#define RAMP_LEVEL   0.25 /* of what one entry too many adds: a point that costs no more has none */
#define RAMP_ENTRIES 0.3  /* the same in entries, where the level scatters less */
#define RAMP_SIGMAS  3    /* of the level's scatter: a point that costs no more may be on it */
#define LEVEL_POINTS 4    /* that tell how far they scatter, at least */
#define RAMP_NEXT    1.01 /* factor from the last point on the level to the next, at most */
#define RAMP_DOUBT   0.5  /* x by which the noise may move where the line begins */
#define FLAT_FROM    1.05 /* factor between two x that cost the same, at least */
#define FLAT_TO      1.5  /* and at most */
#define FLAT_RISE    0.05 /* of the cost, between the two, up or down */
#define FLAT_SURE    0.7  /* two points, no plateau */

static double sum_of_entries(const struct point *p, double base)
{
	return p->x * (p->y - base);
}

/*
 * The points above index `at` that lie on the ramp, as n times the added cost: as many as are on a
 * line. Returns how many.
 */
static unsigned take_ramp(const struct point *curve, unsigned at, unsigned last, double base,
	struct point ramp[INFER_POINTS])
{
	unsigned n = 0;

	for (unsigned i = at + 1; i <= last && curve[i].x <= RAMP_LONGEST * curve[at].x; i++) {
		double rise = sum_of_entries(&curve[i], base);

		if (n && rise <= ramp[n - 1].y)
			break; /* the ramp is over: every set is too full */
		ramp[n++] = (struct point){ curve[i].x, rise };
	}
	return n;
}

static struct line line_of(const struct point *ramp, unsigned n)
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
static bool straight(const struct point *ramp, unsigned n, double noise, struct line *l)
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
static bool line_of_misses(const struct point *ramp, unsigned n, double noise, struct line *l)
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
 * What the level costs where it ends: the lines of so many entries in the caches make a little
 * difference, which may be noise. Point `at`, or the one just before, is the last one on the level.
 */
static double base_of(double level, double noise, const struct point *curve, unsigned at)
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
static double last_entry(const struct point *p, double level, const struct line *l)
{
	double nearest = (double)(int64_t)((2 * -l->at / l->slope + 1) / 2);

	return p->y - level <= RAMP_LEVEL * l->slope / p->x ? math_max(nearest, p->x) : nearest;
}

/* Each entry too many makes two or more miss, and a miss costs a level's factor more. */
static bool steep_enough(const struct fitted *w, double base, const struct line *l)
{
	return l->slope >= 2 * (math_exp(w->rise) - 1) * (base + w->offset);
}

bool infer_ramp(const struct fitted *w, const struct point *curve, const struct transition *t,
	unsigned at, struct estimate *e)
{
	double level = math_exp(t->level) - w->offset, noise = scatter(w, t, at);
	double base = base_of(level, noise, curve, at);
	struct point ramp[INFER_POINTS];
	double nearest;
	struct line l;
	unsigned n = take_ramp(curve, at, t->last, base, ramp);

	if (!line_of_misses(ramp, n, noise, &l))
		return false;
	if (!steep_enough(w, base, &l))
		return false;
	nearest = last_entry(&curve[at], level, &l);
	/* the level's noise, as so many x along the line */
	if (w->noise * (base + w->offset) * nearest / l.slope > RAMP_DOUBT)
		return false;
	/* the last point at the foot may be the first of the ramp: nothing else costs less */
	if (nearest < curve[at ? at - 1 : 0].x || nearest > e->high)
		return false;
	e->value = e->low = nearest;
	e->high = nearest + 1;
	return true;
}

/*
 * The same line where it begins farther below `at`, and a point need be on it only as nearly as
 * RAMP_ERROR says: the x at which it begins. NaN: there is none.
 */
static double infer_line_begin(const struct fitted *w, const struct point *curve,
	const struct transition *t, unsigned at)
{
	struct point ramp[INFER_POINTS];
	double base = math_exp(t->level) - w->offset;
	unsigned n = take_ramp(curve, at, t->last, base, ramp);

	for (; n >= RAMP_POINTS; n--) {
		struct line l = line_of(ramp, n);
		double begin = -l.at / l.slope, most = RAMP_ERROR * ramp[n - 1].y;

		if (l.errors <= n * most * most && begin * RAMP_LONGEST >= curve[at].x &&
			steep_enough(w, base, &l))
			return begin;
	}
	return NOT_A_NUMBER;
}

/* The first point from i on that is far enough to tell a ramp from a flat place; n: none is. */
static unsigned far_enough(const struct point *curve, unsigned n, unsigned i)
{
	double from = curve[i].x;

	while (i < n && curve[i].x < FLAT_FROM * from)
		i++;
	return i < n && curve[i].x <= FLAT_TO * from ? i : n;
}

struct estimate infer_flat_beyond(const struct point *curve, unsigned n, double edge)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned k = curve[i].x > edge ? far_enough(curve, n, i) : n;

		if (k < n && math_abs(curve[k].y - curve[i].y) <= FLAT_RISE * curve[i].y)
			return resolved(curve[i].y, NOT_A_NUMBER, NOT_A_NUMBER, FLAT_SURE);
	}
	return not_resolved("the cost still rises at the most pages");
}

#define STEEP_PART   0.25 /* of the steepest slope: where it is less, the rise has not begun */
#define FOOT_RISE    0.04 /* part of the rise: a point that is no more above the level costs it */
#define FOOT_MOST    0.25 /* of the level's cost: a point that is more above it is above the edge */
#define FOOT_SIGMAS  3    /* the same with noise, in sigma */
#define RAMP_FOOT    0.01 /* part of the rise: a point no more above the level may be on it */
#define CLEAN_RISE   0.002 /* part of the rise: where the bracket begins */
#define CLEAN_SIGMAS 1.5   /* the same with noise, in sigma */
#define GRADUAL      0.06  /* octaves: a rise that needs so many for its first part has no foot */
#define ASYMMETRY    1.4   /* length from 50 to 90 % over that from 10 to 50 %: more is at random */
#define CLIFF_PART   0.25  /* the same, at most, where a gentle rise ends in a cliff */

/*
 * Where a level ends: its cost just before the steep part, the last point that costs nothing more,
 * the last one that costs as much; the last one that costs nothing more than the plateau.
 */
struct foot {
	double base;
	unsigned low, at, start;
};

unsigned infer_thin(const struct fitted *w, unsigned first, unsigned last, unsigned *out)
{
	unsigned n = 0;

	out[n++] = first;
	for (unsigned i = first + 1; i < last; i++)
		if (w->x[i] - w->x[out[n - 1]] >= THIN_OCTAVES)
			out[n++] = i;
	if (n > 1 && w->x[last] - w->x[out[n - 1]] < THIN_OCTAVES)
		n--;
	if (last > first)
		out[n++] = last;
	return n;
}

double infer_slope(const struct fitted *w, unsigned a, unsigned b)
{
	return (w->fit[b] - w->fit[a]) / math_max(THIN_OCTAVES, w->x[b] - w->x[a]);
}

static double x_at(double octaves)
{
	return math_exp(octaves * math_log(2));
}

/* What the fit says that point i costs, in y's unit. */
static double cost(const struct fitted *w, unsigned i)
{
	return math_exp(w->fit[i]) - w->offset;
}

/*
 * A point on the level, just before the first steep part: a slow rise below it, such as a TLB's, is
 * the level's. The last one before the steep part may already be above the edge, though not by
 * much; then it is the one before.
 */
static unsigned begin(const struct fitted *w, const struct transition *t)
{
	unsigned thin[INFER_POINTS], n = infer_thin(w, t->first, t->last, thin), at = 0;
	double steepest = 0, here, before;

	for (unsigned k = 0; k + 1 < n; k++)
		if (infer_slope(w, thin[k], thin[k + 1]) * STEEPNESS_EQUAL > steepest) {
			steepest = infer_slope(w, thin[k], thin[k + 1]);
			at = k;
		}
	while (at && infer_slope(w, thin[at - 1], thin[at]) >= STEEP_PART * steepest)
		at--;
	if (!at)
		return thin[at];
	here = cost(w, thin[at]);
	before = cost(w, thin[at - 1]);
	return thin[here - before <= FOOT_RISE * (cost(w, t->last) - before) ? at - 1 : at];
}

/* How far point i may lie above the level: a part of the rise, or the noise. */
static double slack(const struct fitted *w, const struct transition *t, unsigned i, double base,
	double part, double sigmas)
{
	double rise = cost(w, t->last) - base;

	if (t->lost > 0)
		part = math_min(part, t->lost / x_at(w->x[i]));
	part = math_min(part * rise, FOOT_MOST * (base + w->offset));
	return math_max(part, sigmas * w->noise * (base + w->offset));
}

/* The last point before a part of the rise is done. */
static unsigned point_before(const struct fitted *w, const struct transition *t, double y)
{
	unsigned i = t->first;

	while (i + 1 < t->last && cost(w, i + 1) < y)
		i++;
	return i;
}

/* x at which a part of the rise is done, between two points; *close: these are close together. */
static double place(const struct fitted *w, const struct transition *t, double y, bool *close)
{
	unsigned i = point_before(w, t, y);
	double below = cost(w, i), step = cost(w, i + 1) - below, length = w->x[i + 1] - w->x[i];

	*close &= length <= math_log2(SOFT_STEP);
	return x_at(w->x[i] + (step > 0 ? math_clamp((y - below) / step, 0, 1) : 0) * length);
}

/* Whether the rise may take so much of x that the edge is soft: none of the points rules it out. */
static bool may_be_soft(const struct fitted *w, const struct transition *t, double base)
{
	double rise = cost(w, t->last) - base;
	unsigned first = t->first, last = t->last;

	while (first + 1 < t->last && cost(w, first + 1) < base + RISE_LOW * rise)
		first++;
	while (last - 1 > first && cost(w, last - 1) > base + RISE_HIGH * rise)
		last--;
	return w->x[last] - w->x[first] > math_log2(SOFT_RATIO);
}

static bool is_close(const struct fitted *w, unsigned i)
{
	return w->x[i + 1] - w->x[i] <= math_log2(SOFT_STEP);
}

/* Whether the rise begins at its foot. Of a level without a plateau nobody knows. */
static bool has_foot(const struct fitted *w, const struct transition *t, const struct foot *f)
{
	if (t->plateau == t->first)
		return false;
	return f->start == f->at || w->x[f->at] - w->x[f->start + 1] < GRADUAL;
}

/*
 * Whether a gentle rise ends in a cliff: a neighbour has taken a part of the level at times, from
 * the foot on, and the level itself ends at the cliff.
 */
static bool ends_in_cliff(const double part[PLACES])
{
	return math_log2(part[2] / part[1]) < CLIFF_PART * math_log2(part[1] / part[0]);
}

/*
 * Where lines are replaced at random, misses begin with the first line too many. Where
 * lines fall into sets by chance, they begin gradually, far below the capacity, and if each set
 * keeps its last lines, as many sets overflow below it as do not above it: the middle of the rise
 * is the capacity.
 */
static void soften(const struct fitted *w, const struct point *curve, const struct transition *t,
	const struct foot *f, struct estimate *e, double part[PLACES])
{
	double rise = cost(w, t->last) - f->base;
	bool close = f->start == f->at || is_close(w, f->start);

	part[0] = place(w, t, f->base + RISE_LOW * rise, &close);
	part[1] = place(w, t, f->base + RISE_MIDDLE * rise, &close);
	part[2] = place(w, t, f->base + RISE_HIGH * rise, &close);
	part[3] = x_at((w->x[f->start] + w->x[f->start + 1]) / 2);
	if (!close) {
		unsigned half = point_before(w, t, f->base + RISE_MIDDLE * rise) + 1;

		e->high = math_max(e->high, curve[half].x);
		return;
	}
	if (part[2] <= SOFT_RATIO * part[0])
		return;
	e->rise_10 = part[0];
	e->rise_50 = part[1];
	e->rise_90 = part[2];
	if (has_foot(w, t, f)) {
		if (ends_in_cliff(part))
			e->high = math_max(e->high, part[2]);
		return;
	}
	e->high = math_max(e->high, part[1]);
	if (math_log2(part[2] / part[1]) > ASYMMETRY * math_log2(part[1] / part[0]))
		return;
	e->value = part[1];
	e->low = curve[f->start].x;
	e->high = math_max(e->high, part[2]);
}

/* The last point of from..at that costs nothing more than `base`. */
static unsigned last_clean(const struct fitted *w, const struct transition *t, double base,
	unsigned from, unsigned at)
{
	while (at > from && cost(w, at) - base > slack(w, t, at, base, CLEAN_RISE, CLEAN_SIGMAS))
		at--;
	return at;
}

/* The last point that costs as the level, and the last one that costs nothing more. */
static struct foot find_foot(const struct fitted *w, const struct transition *t)
{
	unsigned from = begin(w, t);
	struct foot f = { .base = cost(w, from), .at = from };

	while (f.at + 1 < t->last &&
		cost(w, f.at + 1) - f.base <= slack(w, t, f.at + 1, f.base, FOOT_RISE, FOOT_SIGMAS))
		f.at++;
	f.low = last_clean(w, t, f.base, from, f.at);
	f.start = last_clean(w, t, math_exp(t->level) - w->offset, t->plateau, f.at);
	return f;
}

/* Misses that an entry too many adds from point i to the next, in y's unit: the ramp's slope. */
static double misses_added(const struct point *curve, unsigned i)
{
	const struct point *p = &curve[i + 1];

	return p->x * (p->y - curve[i].y) / (p->x - curve[i].x);
}

/*
 * The ramp where the cost rises slowly below it, as where lines of the entries leave a cache: each
 * point beyond the foot that may still be on the level, and from which the cost rises steeply but
 * not up to it, is tried as if it were the level's last one and cost what the level costs. The
 * steepest is taken. Returns its first point; 0: there is none.
 */
static unsigned ramp_beyond(const struct fitted *w, const struct point *curve,
	const struct transition *t, const struct foot *f, struct estimate *e)
{
	double most = f->base + FOOT_MOST * (f->base + w->offset), steepest = 0;
	unsigned first = 0;

	for (unsigned at = f->at + 1; at + 1 < t->last && cost(w, at) <= most; at++) {
		const struct transition here = { at, t->last, at, w->fit[at], t->whole, t->lost };
		struct estimate found = { .high = curve[at + 1].x };
		double steep = misses_added(curve, at);

		if (misses_added(curve, at - 1) >= STEEP_PART * steep || steep <= steepest ||
			!infer_ramp(w, curve, &here, at, &found))
			continue;
		steepest = steep;
		first = at + 1;
		*e = found;
	}
	return first;
}

/*
 * The edge where the ramp of a table's sets begins. Noise may leave the last points of the foot
 * above the level, or those below the ramp's first one above the foot. Returns that first one; 0:
 * there is no ramp.
 */
static unsigned first_of_ramp(const struct fitted *w, const struct point *curve,
	const struct transition *t, const struct foot *f, struct estimate *e)
{
	double most = f->base + RAMP_FOOT * (cost(w, t->last) - f->base);

	if (!(t->lost > 0))
		return 0;
	if (infer_ramp(w, curve, t, f->low, e))
		return f->low + 1;
	for (unsigned at = f->at; at < t->last && (at == f->at || cost(w, at) <= most); at++) {
		e->high = curve[at + 1].x;
		if (infer_ramp(w, curve, t, at, e))
			return at + 1;
	}
	e->high = curve[f->at + 1].x;
	return ramp_beyond(w, curve, t, f, e);
}

/*
 * Where misses are on a line that begins more than one below the edge, nobody knows which of the
 * two is right.
 */
static void widen_to_line(const struct fitted *w, const struct point *curve,
	const struct transition *t, unsigned at, struct estimate *e)
{
	double begin = infer_line_begin(w, curve, t, at);

	if (begin + 1 < e->low) /* never of NaN: there is no line */
		e->low = (double)(int64_t)begin;
}

struct estimate infer_edge(const struct fitted *w, const struct point *curve,
	const struct transition *t, struct edge_places *places)
{
	struct foot f = find_foot(w, t);
	struct estimate e = {
		.value = curve[f.at].x, .low = curve[f.low].x, .high = curve[f.at + 1].x
	};
	unsigned ramp = first_of_ramp(w, curve, t, &f, &e);

	*places = (struct edge_places){ .next = ramp ? ramp : f.at + 1 };
	if (ramp)
		return e;
	if (t->lost > 0)
		widen_to_line(w, curve, t, f.at, &e);
	if (t->whole && may_be_soft(w, t, f.base))
		soften(w, curve, t, &f, &e, places->part);
	return e;
}
