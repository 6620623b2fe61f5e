/* SPDX-License-Identifier: MIT */
/*
 * Reading a staircase; docs/method.md, "Staircases", explains the method and every threshold below.
 * The curve's logarithm is cleaned of isolated outliers, then fitted by the nearest rising function
 * (isotonic regression). Plateaus are the long stretches over which the fit hardly rises. What lies
 * between two of them is a transition, in which infer/edge.c finds the edge.
 */
#include "infer/edge.h"
#include "infer/points.h"
#include "lib/math.h"
#include "lib/stats.h"

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
#define NOISE_DOUBT         5    /* confidence lost per sigma, */
#define NOISE_DOUBT_MOST    0.5  /* and at most */

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

/* Whether two thirds of the measured points, too, and not only the fit, lie on the plateau. */
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
 * Of neighbouring plateaus that differ by less than the least factor between levels, keeps the
 * longest. Returns how many are left in s.
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
static double cost_of(const struct point *curve, const struct stretch *s)
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
static unsigned halfway(const struct point *curve, unsigned from, unsigned to, double sum)
{
	while (from < to && curve[from].y < sum / 2)
		from++;
	return from;
}

/* The level of plateau s and its edge; `whole`: point `last` is on a plateau. */
static struct stair read_edge(const struct fitted *w, const struct point *curve,
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
	for (unsigned i = 0; i < PLACES; i++)
		level.part[i] = places.part[i];
	e->confidence = (1 - math_min(NOISE_DOUBT_MOST, NOISE_DOUBT * w->noise)) /
		(1 + DOUBT_PER_OCTAVE * math_log2(e->high / e->low));
	return level;
}

/* Whether a transition is so long that it may be those of two levels. */
static bool too_long(const struct fitted *w, const struct point *curve, const struct stretch *s,
	unsigned to, const struct stair *level)
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
static void add_levels(const struct fitted *w, const struct point *curve,
	const struct staircase_rules *rules, const struct stretch *s, unsigned to, bool whole,
	struct staircase *out)
{
	unsigned thin[INFER_POINTS], n = infer_thin(w, s->last, to, thin);
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
static void first_rise(const struct fitted *w, const struct point *curve,
	const struct staircase_rules *rules, const struct stretch *s, struct staircase *out)
{
	const struct stretch lone = { 0, 0, w->fit[0], 0, 0 };
	struct stair level = read_edge(w, curve, rules, &lone, s->flat_first, true);

	level.hidden = true;
	level.y = NOT_A_NUMBER;
	level.edge.confidence /= 2;
	add_level(out, level);
}

static void top_level(const struct point *curve, const struct stretch *s, struct staircase *out)
{
	struct stair level = {
		.y = cost_of(curve, s), .first = s->flat_first, .last = s->flat_last
	};

	level.edge = not_resolved("nothing larger was reached");
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
	n = w.n;
	count = merge_close(&w, s, plateaus(&w, 0, n - 1, rules->octaves, s, INFER_STAIRS + 4));
	out->reason = "no plateau at the small end";
	if (!count || (!rules->late && w.x[s[0].first] - w.x[0] > START_LATEST))
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
