/* SPDX-License-Identifier: MIT */
/*
 * Reading a staircase; docs/method.md, "Staircases", explains the method and every threshold below.
 * The curve's logarithm is cleaned of isolated outliers, then fitted by the nearest rising function
 * (isotonic regression). Plateaus are the long stretches over which the fit hardly rises. What lies
 * between two of them is a transition; its steepest step is the edge.
 */
#include "infer/fit.h"
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
#define LENGTH_EQUAL        0.1  /* stretches that differ by less are equally long */
#define HALVINGS            8    /* most times that the tolerance is halved for the flattest part */
#define START_LATEST        2    /* the first plateau begins so far above the smallest x */
#define STEP_SIGMAS         8    /* a second step within a transition, in sigma, at least */
#define STEEPNESS_EQUAL     0.75 /* a step so steep, as a part of the steepest, equals it */
#define FOOT_RISE           0.05 /* a point that is no more above the plateau costs the same */
#define FOOT_SIGMAS         3    /* the same with noise, in sigma */
#define FOOT_LENGTH         0.9  /* a bracket begins no farther below its edge */
#define EDGE_FARTHEST       2.5  /* from the end of a plateau to its edge */
#define BRACKET_LONGEST     2.05 /* from its low end to its high end */
#define NOISE_DOUBT         5    /* confidence lost per sigma, */
#define NOISE_DOUBT_MOST    0.5  /* and at most */

const struct staircase_rules cache_rules = { .rise = CACHE_RISE, .octaves = PLATEAU_LENGTH };
const struct staircase_rules entry_rules = {
	.offset = ENTRY_OFFSET, .rise = ENTRY_RISE, .octaves = PLATEAU_LENGTH
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

static double step(const struct fitted *w, unsigned i)
{
	return w->fit[i + 1] - w->fit[i];
}

/*
 * The steep steps, each from a point to the next one, within [from, to]: one for a plain
 * transition, more where a level in between is too short for a plateau. Two steps are separate if
 * one between them is less than half as steep. Of steps that are nearly as steep as the steepest,
 * the first is taken. Returns how many there are; max + 1 stands for more than out[max] can hold.
 */
static unsigned steep_steps(const struct fitted *w, unsigned from, unsigned to, unsigned *out,
	unsigned max)
{
	double lowest = 1e9, least = math_max(w->rise, STEP_SIGMAS * w->noise);
	unsigned n = 1;

	out[0] = from;
	for (unsigned i = from; i < to; i++) {
		double here = step(w, i), top = step(w, out[n - 1]);

		if (math_min(here, top) > least && lowest < math_min(here, top) / 2) {
			if (n == max)
				return n + 1;
			out[n++] = i;
			lowest = here;
		} else if (here * STEEPNESS_EQUAL > top) {
			out[n - 1] = i;
			lowest = here;
		}
		lowest = math_min(lowest, here);
	}
	return n;
}

/*
 * The edge after point i, within a transition from cost `here` to `next`. The bracket ends with the
 * first x at which half of the rise is done, and begins with the last x that costs no more than the
 * plateau at `base` (a logarithm).
 */
static struct estimate edge_at(const struct fitted *w, const struct point *curve, unsigned i,
	unsigned to, double base, double here, double next)
{
	unsigned high = i + 1, low = i;

	while (low && w->fit[low] - base > math_max(FOOT_RISE, FOOT_SIGMAS * w->noise) &&
		w->x[i] - w->x[low] < FOOT_LENGTH)
		low--;
	while (high < to && curve[high].y < (here + next) / 2)
		high++;
	return (struct estimate){ curve[i].x, curve[low].x, curve[high].x,
		(1 - math_min(NOISE_DOUBT_MOST, NOISE_DOUBT * w->noise)) /
			(1 + DOUBT_PER_OCTAVE * (w->x[high] - w->x[i])),
		NULL };
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

/* Whether a transition is so long that it may be those of two levels. */
static bool too_long(const struct fitted *w, const struct stretch *s, unsigned edge,
	const struct stair *level)
{
	return w->x[edge] - w->x[s->last] > EDGE_FARTHEST ||
		math_log2(level->edge.high / level->edge.low) > BRACKET_LONGEST;
}

/*
 * Adds the level of plateau s, whose transition ends where the next plateau begins, at point `to`;
 * and the level hidden in the transition, if there is one: half as sure.
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

	level.y = cost_of(curve, s);
	level.next = curve[at[0] + 1].x;
	level.edge = edge_at(w, curve, at[0], end, s->value, level.y, curve[end].y);
	if (steps > 2 || too_long(w, s, at[0], &level) ||
		(steps == 2 && w->x[at[1]] - w->x[at[0]] > EDGE_FARTHEST)) {
		level.edge = not_resolved("levels run into one another");
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
	count = merge_close(&w, s, plateaus(&w, 0, n - 1, rules->octaves, s, INFER_STAIRS + 4));
	out->reason = "no plateau at the small end";
	if (!count || (!rules->late && w.x[s[0].first] - w.x[0] > START_LATEST))
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
