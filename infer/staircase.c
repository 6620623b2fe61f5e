/* SPDX-License-Identifier: MIT */
/*
 * Reading a staircase. The curve's logarithm is cleaned of isolated outliers by a median of three
 * (which leaves any monotone curve as it is, cliffs included), then fitted by the nearest rising
 * function (isotonic regression). Plateaus are the long stretches over which that hardly rises;
 * what lies between two of them is a transition, and its steepest step is the edge: the one change
 * point that explains most of it. With exact LRU the whole transition is that step. With random
 * replacement the share of misses of a cyclic walk over r times the capacity is the root of
 * 1 - m = exp(-r m), steepest at r = 1; with lines spread over sets by chance it is steepest, in
 * the logarithm of time, just below r = 1. The edge so means the same for all.
 */
#include "infer/fit.h"
#include "lib/math.h"
#include "lib/stats.h"

const struct staircase_rules cache_rules = { .offset = 0, .rise = 1.5, .octaves = 0.7 };
const struct staircase_rules entry_rules = { .offset = 3, .rise = 1.4, .octaves = 0.7 };

/* A stretch of points, both ends included. */
struct stretch {
	unsigned first, last;
	double value; /* median of raw over its flattest part */
	unsigned flat_first, flat_last;
};

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
		double longer = w->x[last] - w->x[first] - (w->x[best.last] - w->x[best.first]);
		double rise = w->fit[last] - w->fit[first];

		if (longer > 0.1 ||
			(longer > -0.1 && rise < w->fit[best.last] - w->fit[best.first])) {
			best.first = first;
			best.last = last;
		}
	}
	return best;
}

/*
 * The middle of a plateau's flattest part: halve the tolerance while at least half of its length
 * remains, so that the foot of a soft knee does not count.
 */
static void settle(const struct fitted *w, struct stretch *s, double tolerance)
{
	double half = (w->x[s->last] - w->x[s->first]) / 2, r[INFER_POINTS];
	unsigned count = 0;

	s->flat_first = s->first;
	s->flat_last = s->last;
	for (unsigned step = 0; step < 8; step++) {
		struct stretch tight = longest(w, s->flat_first, s->flat_last, tolerance /= 2);

		if (tight.last == tight.first || w->x[tight.last] - w->x[tight.first] < half)
			break;
		s->flat_first = tight.first;
		s->flat_last = tight.last;
	}
	for (unsigned i = s->flat_first; i <= s->flat_last; i++)
		r[count++] = w->raw[i];
	s->value = stats_median(r, count);
}

/* Whether the measured points, not only the fit, lie on the plateau. */
static bool holds(const struct fitted *w, const struct stretch *s, double tolerance)
{
	unsigned near = 0, all = s->last - s->first + 1;

	for (unsigned i = s->first; i <= s->last; i++)
		near += math_abs(w->raw[i] - s->value) <= tolerance;
	return 3 * near >= 2 * all;
}

/* Collects the plateaus of [from, to], in order of x. Returns how many there are in out[max]. */
static unsigned plateaus(const struct fitted *w, unsigned from, unsigned to, double octaves,
	struct stretch *out, unsigned room)
{
	double tolerance = math_min(math_max(0.12, 4 * w->noise), 0.2);
	struct stretch s = longest(w, from, to, tolerance);
	unsigned n = 0;

	if (w->x[s.last] - w->x[s.first] < octaves || !room)
		return 0;
	settle(w, &s, tolerance);
	if (s.first > from)
		n = plateaus(w, from, s.first - 1, octaves, out, room);
	if (n < room && holds(w, &s, tolerance))
		out[n++] = s;
	if (s.last < to)
		n += plateaus(w, s.last + 1, to, octaves, out + n, room - n);
	return n;
}

static double length(const struct fitted *w, const struct stretch *s)
{
	return w->x[s->last] - w->x[s->first];
}

/* Neighbours that differ by less than a level does are one level: the longer one stands for it. */
static unsigned merge(const struct fitted *w, struct stretch *s, unsigned n)
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

static double step(const struct fitted *w, unsigned i)
{
	return w->fit[i + 1] - w->fit[i];
}

/*
 * The steep steps from a point to its next within [from, to], parted by stretches less than half as
 * steep: one for a plain transition, more where levels between have no plateau of their own. Where
 * several steps are nearly as steep as the steepest, the first stands for them.
 */
static unsigned steep_steps(const struct fitted *w, unsigned from, unsigned to, unsigned *out,
	unsigned room)
{
	double lowest = 1e9, least = math_max(w->rise, 8 * w->noise);
	unsigned n = 1;

	out[0] = from;
	for (unsigned i = from; i < to; i++) {
		double here = step(w, i), top = step(w, out[n - 1]);

		if (math_min(here, top) > least && lowest < math_min(here, top) / 2) {
			if (n == room)
				return n + 1;
			out[n++] = i;
			lowest = here;
		} else if (here * 0.75 > top) {
			out[n - 1] = i;
			lowest = here;
		}
		lowest = math_min(lowest, here);
	}
	return n;
}

/*
 * The edge after point i, within a transition to a plateau at `next`. The bracket goes on to the
 * first size at which half of the loads miss: every policy above holds its capacity until then. It
 * begins an octave lower at most, with the last size that costs no more than the plateau at `base`.
 */
static struct estimate edge_at(const struct fitted *w, const struct point *curve, unsigned i,
	unsigned to, double base, double here, double next)
{
	unsigned high = i + 1, low = i;

	while (low && w->fit[low] - base > math_max(0.05, 3 * w->noise) &&
		w->x[i] - w->x[low] < 0.9)
		low--;
	while (high < to && curve[high].y < (here + next) / 2)
		high++;
	return (struct estimate){ curve[i].x, curve[low].x, curve[high].x,
		(1 - math_min(0.5, 5 * w->noise)) / (1 + 0.25 * (w->x[high] - w->x[i])), NULL };
}

static struct estimate no_edge(const char *reason)
{
	return (struct estimate){ NOT_A_NUMBER, NOT_A_NUMBER, NOT_A_NUMBER, 0, reason };
}

static double plain_value(const struct point *curve, const struct stretch *s)
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

/*
 * In octaves: a plateau's end is no farther before its edge, nor half of the rise farther after it.
 */
#define FOOT 2.5
#define HALF 2.05

static bool blurred(const struct fitted *w, const struct stretch *s, unsigned edge,
	const struct stair *level)
{
	return w->x[edge] - w->x[s->last] > FOOT ||
		math_log2(level->edge.high / level->edge.low) > HALF;
}

/*
 * Adds the level that stands on stretch s and ends before the plateau that begins at point `to`,
 * and one hidden in the transition.
 */
static void add_levels(const struct fitted *w, const struct point *curve, const struct stretch *s,
	unsigned to, struct staircase *out)
{
	unsigned at[2], steps = steep_steps(w, s->last, to, at, 2);
	unsigned end = steps == 2 ? at[1] : to;
	struct stair level = { .first = s->flat_first, .last = s->flat_last };
	struct stair hidden = {
		.hidden = true, .y = NOT_A_NUMBER, .first = at[0] + 1, .last = end
	};

	level.y = plain_value(curve, s);
	level.next = curve[at[0] + 1].x;
	level.edge = edge_at(w, curve, at[0], end, s->value, level.y, curve[end].y);
	if (steps > 2 || blurred(w, s, at[0], &level) ||
		(steps == 2 && w->x[at[1]] - w->x[at[0]] > FOOT)) {
		level.edge = no_edge("levels run into one another");
		steps = 1;
	}
	add_level(out, level);
	if (steps < 2)
		return;
	hidden.next = curve[at[1] + 1].x;
	hidden.edge = edge_at(w, curve, at[1], to, w->fit[at[1]], curve[at[1]].y, curve[to].y);
	hidden.edge.confidence /= 2;
	add_level(out, hidden);
}

static void top_level(const struct point *curve, const struct stretch *s, struct staircase *out)
{
	struct stair level = {
		.y = plain_value(curve, s), .first = s->flat_first, .last = s->flat_last
	};

	level.edge = no_edge("nothing larger was reached");
	add_level(out, level);
}

unsigned infer_staircase(const struct point *curve, unsigned n, const struct staircase_rules *rules,
	struct staircase *out)
{
	struct stretch s[INFER_STAIRS + 4];
	struct fitted w;
	unsigned count;

	*out = (struct staircase){ 0 };
	out->reason = infer_fit(&w, curve, n, rules);
	out->noise = w.noise;
	if (out->reason)
		return 0;
	count = merge(&w, s, plateaus(&w, 0, n - 1, rules->octaves, s, INFER_STAIRS + 4));
	out->reason = "no plateau at the small end";
	if (!count || (!rules->late && w.x[s[0].first] - w.x[0] > 2))
		return 0;
	for (unsigned i = 0; i + 1 < count; i++)
		add_levels(&w, curve, &s[i], s[i + 1].flat_first, out);
	out->rising = w.fit[n - 1] - s[count - 1].value >= w.rise;
	if (out->rising)
		add_levels(&w, curve, &s[count - 1], n - 1, out);
	else
		top_level(curve, &s[count - 1], out);
	out->reason = NULL;
	return out->count;
}
