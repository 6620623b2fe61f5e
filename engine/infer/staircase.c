/* SPDX-License-Identifier: MIT */
/*
 * Reading a staircase; docs/method.md, "Staircases", explains the method and every threshold below.
 * The curve's logarithm is cleaned of isolated outliers, then fitted by the nearest rising function
 * (isotonic regression). Plateaus are the long stretches over which the fit hardly rises. What lies
 * between two of them is a transition, in which the level ends; docs/method.md, "Edges". The
 * cost of a level is that of the points just below the steep part; the level ends with the last
 * point that costs no more.
 */
#include "engine/infer/ramp.h"
#include "engine/infer/points.h"
#include "lib/math.h"
#include "lib/stats.h"

/* Thresholds for the end of a level. */

#define THIN_OCTAVES    0.24 /* points of which slopes are taken are so far apart at least */
#define STEEPNESS_EQUAL 0.75 /* a step so steep, as a part of the steepest, equals it */

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

/* Further places of an edge. */
struct edge_places {
	unsigned next; /* index of the first point that is clearly above the level */
	double clean;  /* last x that costs nothing more than the level */
	/* May be soft: x where the rise begins and 10, 50, 90 % of it are done; else 0. */
	double part[PLACES];
};

/*
 * The foot of a rise: the level's cost just before the steep part, the last point that costs
 * nothing more, the last one that costs as much; the last one that costs nothing more than the
 * plateau.
 */
struct foot {
	double base;
	unsigned low, at, start;
};

/*
 * A part of the points first..last, both included, chosen so that neighbours are `apart` octaves
 * apart at least: on it, steps may be compared though some gaps have been bisected. Returns how
 * many were written to out[INFER_POINTS].
 */
static unsigned infer_thin(const struct fitted *w, unsigned first, unsigned last, double apart,
	unsigned *out)
{
	unsigned n = 0;

	out[n++] = first;
	for (unsigned i = first + 1; i < last; i++)
		if (w->x[i] - w->x[out[n - 1]] >= apart)
			out[n++] = i;
	if (n > 1 && w->x[last] - w->x[out[n - 1]] < apart)
		n--;
	if (last > first)
		out[n++] = last;
	return n;
}

/* Rise of the fit from point a to point b, per octave. */
static double infer_slope(const struct fitted *w, unsigned a, unsigned b)
{
	return (w->fit[b] - w->fit[a]) / math_max(THIN_OCTAVES, w->x[b] - w->x[a]);
}

static double x_at(double octaves)
{
	return math_exp(octaves * math_log(2));
}

/* Returns the cost of point i by the fit, in y's unit. */
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
	unsigned thin[INFER_POINTS], at = 0;
	unsigned n = infer_thin(w, t->first, t->last, THIN_OCTAVES, thin);
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

/* Returns how far point i may lie above the level: a part of the rise, or the noise. */
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

/* Returns true if the rise may take so much of x that the edge is soft: no point rules it out. */
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

/* Returns true if the rise begins at its foot. That is unknown for a level without a plateau. */
static bool has_foot(const struct fitted *w, const struct transition *t, const struct foot *f)
{
	if (t->plateau == t->first)
		return false;
	return f->start == f->at || w->x[f->at] - w->x[f->start + 1] < GRADUAL;
}

/*
 * Returns true if a gentle rise ends in a cliff: from the foot on a neighbour has taken a part of
 * the level at times, and the level itself ends at the cliff.
 */
static bool ends_in_cliff(const double part[PLACES])
{
	return math_log2(part[2] / part[1]) < CLIFF_PART * math_log2(part[1] / part[0]);
}

/*
 * Find a soft edge. If lines are replaced at random, misses begin with the first line too many. If
 * lines fall into sets by chance, misses begin gradually, far below the capacity; if each set keeps
 * its last lines, as many sets overflow below the capacity as do not above it, so that the middle
 * of the rise is the capacity.
 */
static void soften(const struct fitted *w, const struct curve_point *curve,
	const struct transition *t, const struct foot *f, struct estimate *e,
	struct edge_places *places)
{
	double rise = cost(w, t->last) - f->base, *part = places->part;
	bool close = f->start == f->at || is_close(w, f->start);

	part[0] = place(w, t, f->base + RISE_LOW * rise, &close);
	part[1] = place(w, t, f->base + RISE_MIDDLE * rise, &close);
	part[2] = place(w, t, f->base + RISE_HIGH * rise, &close);
	part[3] = x_at((w->x[f->start] + w->x[f->start + 1]) / 2);
	if (!close || part[2] <= SOFT_RATIO * part[0]) { /* it may end where half of them miss */
		unsigned half = point_before(w, t, f->base + RISE_MIDDLE * rise) + 1;

		e->high = math_max(e->high, curve[half].x);
		return;
	}
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
	e->high = math_max(e->high, part[2]);
	places->clean = curve[f->start].x;
	e->low = math_max(places->clean, e->value * e->value / e->high); /* as symmetrical */
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
static double misses_added(const struct curve_point *curve, unsigned i)
{
	const struct curve_point *p = &curve[i + 1];

	return p->x * (p->y - curve[i].y) / (p->x - curve[i].x);
}

/*
 * The ramp where the cost rises slowly below it, as where lines of the entries leave a cache: each
 * point beyond the foot that may still be on the level, and from which the cost rises steeply but
 * not up to it, is tried as if it were the level's last one and cost what the level costs. The
 * steepest is taken. Returns its first point; 0: there is none.
 */
static unsigned ramp_beyond(const struct fitted *w, const struct curve_point *curve,
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
static unsigned first_of_ramp(const struct fitted *w, const struct curve_point *curve,
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
 * Widen the bracket to the line's beginning if misses are on a line that begins more than one point
 * below the edge: either may be right.
 */
static void widen_to_line(const struct fitted *w, const struct curve_point *curve,
	const struct transition *t, unsigned at, struct estimate *e)
{
	double begin = infer_line_begin(w, curve, t, at);

	if (begin + 1 < e->low) /* never of NaN: there is no line */
		e->low = (double)(int64_t)begin;
}

/*
 * Returns the end of the level: value, low, high and, if the points are close enough to tell them,
 * the 10, 50 and 90 % points of struct estimate; no confidence.
 */
static struct estimate infer_edge(const struct fitted *w, const struct curve_point *curve,
	const struct transition *t, struct edge_places *places)
{
	struct foot f = find_foot(w, t);
	struct estimate e = {
		.value = curve[f.at].x, .low = curve[f.low].x, .high = curve[f.at + 1].x
	};
	unsigned ramp = first_of_ramp(w, curve, t, &f, &e);

	*places = (struct edge_places){ .next = ramp ? ramp : f.at + 1 };
	if (!ramp && t->lost > 0)
		widen_to_line(w, curve, t, f.at, &e);
	places->clean = e.low;
	if (!ramp && t->whole && may_be_soft(w, t, f.base))
		soften(w, curve, t, &f, &e, places);
	return e;
}

/* --- the staircase --- */

/* Lengths are in octaves of x, rises in natural logarithms, sigma is the noise around the fit. */
#define PLATEAU_RISE        0.12 /* most that the fit rises along a plateau, without noise */
#define PLATEAU_RISE_SIGMAS 4    /* the same with noise, in sigma */
#define PLATEAU_RISE_MOST   0.2  /* the same with any noise */
#define PLATEAU_LENGTH      0.7  /* of a cache or a TLB */
#define CACHE_RISE          1.5  /* factor between levels of caches */
#define ENTRY_RISE          1.4  /* factor between levels of TLBs, after ENTRY_OFFSET */
#define ENTRY_OFFSET        3    /* core cycles added to the cost of a translation */
#define ENTRIES_LOST        4 /* of all entries used: a curve of entries ends where more are lost */
#define LENGTH_EQUAL        0.1  /* stretches that differ by less are equally long */
#define HALVINGS            8    /* most times that the tolerance is halved for the flattest part */
#define START_LATEST        2    /* the first plateau begins so far above the smallest x */
#define STEP_SIGMAS         8    /* a second step within a transition, in sigma, at least */
#define EDGE_FARTHEST       2.5  /* from the end of a plateau to its edge */
#define BRACKET_LONGEST     2.05 /* from its low end to its high end */
#define NOISE_LOSS          5    /* confidence lost per sigma, */
#define NOISE_LOSS_MOST     0.5  /* and at most */

const struct staircase_rules cache_rules = { .rise = CACHE_RISE, .octaves = PLATEAU_LENGTH };
const struct staircase_rules entry_rules = {
	.offset = ENTRY_OFFSET, .rise = ENTRY_RISE, .octaves = PLATEAU_LENGTH, .lost = ENTRIES_LOST
};

/* A stretch of points, both ends included. */
struct stretch {
	unsigned first, last;
	double value; /* median of raw over its flattest part */
	unsigned flat_first, flat_last;
};

static double length(const struct fitted *w, const struct stretch *s)
{
	return w->x[s->last] - w->x[s->first];
}

/*
 * The longest stretch within [from, to] over which the fit rises by at most `tolerance`; of equally
 * long ones the flattest.
 */
static struct stretch longest(const struct fitted *w, unsigned from, unsigned to, double tolerance)
{
	struct stretch best = { from, from, 0, from, from };
	unsigned first = from;

	for (unsigned last = from; last <= to; last++) {
		while (w->fit[last] - w->fit[first] > tolerance)
			first++;
		double longer = w->x[last] - w->x[first] - length(w, &best);
		double rise = w->fit[last] - w->fit[first];

		if (longer > LENGTH_EQUAL ||
			(longer > -LENGTH_EQUAL && rise < w->fit[best.last] - w->fit[best.first])) {
			best.first = first;
			best.last = last;
		}
	}
	return best;
}

/*
 * The flattest part of a plateau, and its value. The tolerance is halved as long as at least half
 * of the plateau remains, to leave out the ends, where a gradual transition begins.
 */
static void find_flattest(const struct fitted *w, struct stretch *s, double tolerance)
{
	double half = length(w, s) / 2, r[INFER_POINTS];
	unsigned count = 0;

	s->flat_first = s->first;
	s->flat_last = s->last;
	for (unsigned step = 0; step < HALVINGS; step++) {
		struct stretch tight = longest(w, s->flat_first, s->flat_last, tolerance /= 2);

		if (tight.last == tight.first || length(w, &tight) < half)
			break;
		s->flat_first = tight.first;
		s->flat_last = tight.last;
	}
	for (unsigned i = s->flat_first; i <= s->flat_last; i++)
		r[count++] = w->raw[i];
	s->value = stats_median(r, count);
}

/* Returns true if two thirds of the measured points lie on the plateau, not only the fit. */
static bool points_agree(const struct fitted *w, const struct stretch *s, double tolerance)
{
	unsigned near = 0, all = s->last - s->first + 1;

	for (unsigned i = s->first; i <= s->last; i++)
		near += math_abs(w->raw[i] - s->value) <= tolerance;
	return 3 * near >= 2 * all;
}

/* Collects the plateaus of [from, to], in order of x. Returns how many there are in out[max]. */
static unsigned plateaus(const struct fitted *w, unsigned from, unsigned to, double octaves,
	struct stretch *out, unsigned max)
{
	double tolerance =
		math_min(math_max(PLATEAU_RISE, PLATEAU_RISE_SIGMAS * w->noise), PLATEAU_RISE_MOST);
	struct stretch s = longest(w, from, to, tolerance);
	unsigned n = 0;

	if (length(w, &s) < octaves || !max)
		return 0;
	find_flattest(w, &s, tolerance);
	if (s.first > from)
		n = plateaus(w, from, s.first - 1, octaves, out, max);
	if (n < max && points_agree(w, &s, tolerance))
		out[n++] = s;
	if (s.last < to)
		n += plateaus(w, s.last + 1, to, octaves, out + n, max - n);
	return n;
}

/*
 * Keep only the longest of neighbouring plateaus that differ by less than the least factor between
 * levels. Returns the number left in s.
 */
static unsigned merge_close(const struct fitted *w, struct stretch *s, unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!kept || s[i].value - s[kept - 1].value >= w->rise)
			s[kept++] = s[i];
		else if (length(w, &s[i]) > length(w, &s[kept - 1]))
			s[kept - 1] = s[i];
	}
	return kept;
}

/*
 * The steep steps, each from one thinned point to the next, among n of them: one for a plain
 * transition, more where a level in between is too short for a plateau. Two steps are separate if
 * one between them is less than half as steep. Of steps that are nearly as steep as the steepest,
 * the first is taken. Returns how many there are; max + 1 stands for more than out[max] can hold.
 */
static unsigned steep_steps(const struct fitted *w, const unsigned *thin, unsigned n, unsigned *out,
	unsigned max)
{
	double lowest = 1e9, least = math_max(w->rise, STEP_SIGMAS * w->noise), high = 0;
	unsigned found = 1;

	out[0] = 0;
	for (unsigned k = 0; k + 1 < n; k++) {
		double here = infer_slope(w, thin[k], thin[k + 1]);
		double top = infer_slope(w, thin[out[found - 1]], thin[out[found - 1] + 1]);
		double rise = w->fit[thin[k + 1]] - w->fit[thin[k]];

		if (math_min(rise, high) > least && lowest < math_min(here, top) / 2) {
			if (found == max)
				return found + 1;
			out[found++] = k;
			lowest = here;
			high = rise;
		} else if (here * STEEPNESS_EQUAL > top || !k) {
			out[found - 1] = k;
			lowest = here;
			high = rise;
		}
		lowest = math_min(lowest, here);
	}
	return found;
}

/* Upper quartile of y over the flattest part. */
static double cost_of(const struct curve_point *curve, const struct stretch *s)
{
	double y[INFER_POINTS];
	unsigned n = 0;

	for (unsigned i = s->flat_first; i <= s->flat_last; i++)
		y[n++] = curve[i].y;
	return stats_upper_quartile(y, n);
}

static void add_level(struct staircase *out, struct stair level)
{
	if (out->count < INFER_STAIRS)
		out->level[out->count++] = level;
}

/* The end of the flattest of the steps between two steep ones: on the level that lies there. */
static unsigned flattest(const struct fitted *w, const unsigned *thin, const unsigned steep[2])
{
	unsigned best = steep[0] + 1;

	for (unsigned k = best; k < steep[1]; k++)
		if (infer_slope(w, thin[k], thin[k + 1]) <
			infer_slope(w, thin[best], thin[best + 1]))
			best = k;
	return thin[best + 1];
}

/* A point on the plateau: where edges have been bisected, its last ones rise with a soft edge. */
static unsigned foot(const struct fitted *w, const struct stretch *s)
{
	unsigned i = s->last;

	while (i > s->first && w->x[s->last] - w->x[i - 1] <= SPLIT_OCTAVES)
		i--;
	return i;
}

/* First point of from..to that has done half of the rise between two costs. */
static unsigned halfway(const struct curve_point *curve, unsigned from, unsigned to, double sum)
{
	while (from < to && curve[from].y < sum / 2)
		from++;
	return from;
}

/* The level of plateau s and its edge; `whole`: point `last` is on a plateau. */
static struct stair read_edge(const struct fitted *w, const struct curve_point *curve,
	const struct staircase_rules *rules, const struct stretch *s, unsigned last, bool whole)
{
	unsigned first = foot(w, s);
	const struct transition t = { first, last, s->first, s->value, whole, rules->lost };
	struct stair level = { .y = curve[first].y };
	struct estimate *e = &level.edge;
	struct edge_places places;

	*e = infer_edge(w, curve, &t, &places);
	level.below = curve[places.next - 1].x;
	level.next = curve[places.next].x;
	level.clean = places.clean;
	for (unsigned i = 0; i < PLACES; i++)
		level.part[i] = places.part[i];
	e->confidence = (1 - math_min(NOISE_LOSS_MOST, NOISE_LOSS * w->noise)) /
		(1 + LOSS_PER_OCTAVE * math_log2(e->high / e->low));
	return level;
}

/* Returns true if a transition is so long that it may be those of two levels. */
static bool too_long(const struct fitted *w, const struct curve_point *curve,
	const struct stretch *s, unsigned to, const struct stair *level)
{
	unsigned half = halfway(curve, s->last, to, level->y + curve[to].y);

	return math_log2(level->edge.value) - w->x[s->last] > EDGE_FARTHEST ||
		math_log2(curve[half].x / level->edge.low) > BRACKET_LONGEST;
}

/*
 * Adds the level of plateau s, whose transition ends at point `to`: where the next plateau begins
 * (`whole`), or with the curve. Adds also the level hidden in the transition, if there is one: half
 * as sure.
 */
static void add_levels(const struct fitted *w, const struct curve_point *curve,
	const struct staircase_rules *rules, const struct stretch *s, unsigned to, bool whole,
	struct staircase *out)
{
	unsigned thin[INFER_POINTS], n = infer_thin(w, s->last, to, THIN_OCTAVES, thin);
	unsigned at[2], steps = steep_steps(w, thin, n, at, 2);
	unsigned end = steps == 2 ? flattest(w, thin, at) : to;
	const struct stretch lone = { end, end, w->fit[end], end, end };
	struct stair hidden, level = read_edge(w, curve, rules, s, end, whole && steps == 1);

	level.y = cost_of(curve, s);
	level.first = s->flat_first;
	level.last = s->flat_last;
	if (steps > 2 || too_long(w, curve, s, end, &level) ||
		(steps == 2 && w->x[thin[at[1]]] - w->x[thin[at[0]]] > EDGE_FARTHEST)) {
		level.edge = not_resolved("levels run into one another");
		steps = 1;
	}
	add_level(out, level);
	if (steps < 2)
		return;
	hidden = read_edge(w, curve, rules, &lone, to, whole);
	hidden.hidden = true;
	hidden.y = NOT_A_NUMBER;
	hidden.first = thin[at[0] + 1];
	hidden.last = end;
	hidden.edge.confidence /= 2;
	add_level(out, hidden);
}

/* A level that ends so early that the first plateau is the next one's. */
static void first_rise(const struct fitted *w, const struct curve_point *curve,
	const struct staircase_rules *rules, const struct stretch *s, struct staircase *out)
{
	const struct stretch lone = { 0, 0, w->fit[0], 0, 0 };
	struct stair level = read_edge(w, curve, rules, &lone, s->flat_first, true);

	level.hidden = true;
	level.y = NOT_A_NUMBER;
	level.edge.confidence /= 2;
	add_level(out, level);
}

static void top_level(const struct curve_point *curve, const struct stretch *s,
	struct staircase *out)
{
	struct stair level = {
		.y = cost_of(curve, s), .first = s->flat_first, .last = s->flat_last
	};

	level.edge = not_resolved("nothing larger was reached");
	add_level(out, level);
}

/* --- clear steps --- */

#define STEP_APART  0.12 /* octaves from point to point, at least */
#define STEP_BEFORE 0.24 /* before a step, at least, over which it is seen whether it is one */
#define STEP_LEVEL  0.5  /* the same over which its level is read */

/* The stretch of so many octaves that ends at a point; where the curve begins later, a shorter. */
static struct stretch stretch_before(const struct fitted *w, unsigned last, double octaves)
{
	unsigned first = last;

	while (first && w->x[last] - w->x[first] < octaves)
		first--;
	return (struct stretch){ first, last, w->fit[last], first, last };
}

/* Rise of the fit per octave over STEP_BEFORE before a point. */
static double slope_before(const struct fitted *w, unsigned last)
{
	return infer_slope(w, stretch_before(w, last, STEP_BEFORE).first, last);
}

/*
 * The part of thinned points from..n-1 over which the cost rises as fast as by a level's factor in
 * an octave, and there at a quarter of the fastest pace at least. Returns that pace, 0: there is no
 * such part.
 */
static double steep_part(const struct fitted *w, const unsigned *thin, unsigned n, unsigned *from,
	unsigned *to)
{
	double slope[INFER_POINTS], steepest = 0;
	unsigned k = *from, top, end;

	for (unsigned i = k; i + 1 < n; i++)
		slope[i] = infer_slope(w, thin[i], thin[i + 1]);
	while (k + 1 < n && slope[k] < w->rise)
		k++;
	for (top = end = k; end + 1 < n && slope[end] >= w->rise; end++)
		if (slope[end] > steepest)
			steepest = slope[top = end];
	*to = top + 1;
	while (top > k && slope[top - 1] >= STEEP_PART * steepest)
		top--;
	while (*to < end && slope[*to] >= STEEP_PART * steepest)
		++*to;
	*from = top;
	return steepest;
}

/*
 * Clear steps: steep parts of the curve over which the cost rises by a level's factor, and before
 * which it rises at no more than a quarter of their pace. What rises slowly, as where code leaves a
 * cache, or where entries are replaced at random, hides no step. Writes where each begins and ends;
 * returns how many there are.
 */
static unsigned clear_steps(const struct fitted *w, unsigned *begins, unsigned *ends, unsigned max)
{
	unsigned thin[INFER_POINTS], n = infer_thin(w, 0, w->n - 1, STEP_APART, thin), found = 0;
	unsigned from = 0, to;
	double pace;

	for (; found < max && (pace = steep_part(w, thin, n, &from, &to)) > 0; from = to) {
		unsigned begin = thin[from], end = thin[to];

		if (w->fit[end] - w->fit[begin] < w->rise || w->x[begin] - w->x[0] < STEP_LEVEL ||
			slope_before(w, begin) > STEEP_PART * pace)
			continue;
		begins[found] = begin;
		ends[found++] = end;
	}
	return found;
}

/* The same curve without the slow rise that it has before a point: that rise is the level's. */
static struct fitted levelled(const struct fitted *w, unsigned last)
{
	double slope = slope_before(w, last);
	struct fitted flat = *w;

	for (unsigned i = 0; i < w->n; i++)
		flat.fit[i] -= slope * (w->x[i] - w->x[last]);
	return flat;
}

/* A staircase of clear steps; the last level begins where the last one ends. */
static unsigned read_steps(const struct fitted *w, const struct curve_point *curve,
	const struct staircase_rules *rules, struct staircase *out)
{
	unsigned begins[INFER_STAIRS], ends[INFER_STAIRS], last = w->n - 1;
	unsigned count = clear_steps(w, begins, ends, INFER_STAIRS);

	out->reason = "no step stands out";
	if (!count)
		return 0;
	for (unsigned i = 0; i < count; i++) {
		struct stretch level = stretch_before(w, begins[i], STEP_LEVEL);
		struct fitted flat = levelled(w, begins[i]);

		add_levels(&flat, curve, rules, &level, ends[i], ends[i] < last, out);
	}
	out->rising = ends[count - 1] == last;
	if (!out->rising)
		top_level(curve,
			&(struct stretch){ .flat_first = ends[count - 1], .flat_last = last }, out);
	out->reason = NULL;
	return out->count;
}

unsigned infer_staircase(const struct curve_point *curve, unsigned n,
	const struct staircase_rules *rules, struct staircase *out)
{
	struct stretch s[INFER_STAIRS + 4];
	struct fitted w;
	unsigned count;

	*out = (struct staircase){ 0 };
	out->reason = infer_fit(&w, curve, n, rules);
	out->noise = w.noise;
	if (out->reason)
		return 0;
	if (rules->steps)
		return read_steps(&w, curve, rules, out);
	n = w.n;
	count = merge_close(&w, s, plateaus(&w, 0, n - 1, rules->octaves, s, INFER_STAIRS + 4));
	out->reason = "no plateau at the small end";
	if (!count || w.x[s[0].first] - w.x[0] > START_LATEST)
		return 0;
	if (rules->lost > 0 && s[0].value - w.fit[0] >= w.rise)
		first_rise(&w, curve, rules, &s[0], out);
	for (unsigned i = 0; i + 1 < count; i++)
		add_levels(&w, curve, rules, &s[i], s[i + 1].flat_first, true, out);
	out->rising = w.fit[n - 1] - s[count - 1].value >= w.rise;
	if (out->rising)
		add_levels(&w, curve, rules, &s[count - 1], n - 1, false, out);
	else
		top_level(curve, &s[count - 1], out);
	out->reason = NULL;
	return out->count;
}
