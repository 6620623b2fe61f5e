/* SPDX-License-Identifier: MIT */
/*
 * Find rises and falls of a cost that is no staircase; docs/method.md, "Steps and bends",
 * probes/stride/README.md, "Knees and falls", and probes/branch/README.md, "Halfway points".
 */
#include "engine/infer/points.h"
#include "lib/math.h"
#include "lib/stats.h"

/* Thresholds for the beginning and the middle of a rise. */

#define HALFWAY_RISE   1.4 /* last cost over the first, more than this */
#define LAST_RISE_MOST 0.2 /* part of the whole rise that lies in the last octave of x */

#define PERFECT_PART   0.05 /* of the rise to the last cost, above the level that a point is on */
#define PERFECT_SPAN   4    /* the level at x is the median cost from x over this to x, */
#define PERFECT_POINTS 3    /* of so many points, at least */

/* Returns the rise of y over the last octave of x. */
static double last_octave_rise(const struct curve_point *p, const double *y, unsigned n)
{
	unsigned from = n - 1;

	while (from && p[from].x > p[n - 1].x / 2)
		from--;
	return y[n - 1] - y[from];
}

/* The costs without outliers; NULL, or why they do not rise from one level to another. */
static const char *take_rise(const struct curve_point *p, unsigned n, double *y,
	struct movement *moved)
{
	const char *problem = points_problem(p, n, RISING_POINTS);

	if (problem)
		return problem;
	for (unsigned i = 0; i < n; i++)
		y[i] = p[i].y;
	points_remove_outliers(y, n);
	*moved = points_movement(y, n);
	if (!(y[n - 1] > HALFWAY_RISE * y[0]))
		return "the curve is flat";
	if (moved->down > FALLS_MOST * moved->up)
		return "does not rise steadily";
	if (last_octave_rise(p, y, n) > LAST_RISE_MOST * (y[n - 1] - y[0]))
		return "grows up to the largest size";
	return NULL;
}

/* The last point nearer to the first cost than to the last. */
static unsigned halfway(const double *y, unsigned n)
{
	double middle = (y[0] + y[n - 1]) / 2;
	unsigned at = 0;

	while (at + 1 < n && y[at + 1] < middle)
		at++;
	return at;
}

/* The wider the bracket and the more of the curve falls, the less sure. */
static struct estimate last_before(const struct curve_point *p, unsigned at,
	const struct movement *moved)
{
	return resolved(p[at].x, p[at].x, p[at + 1].x,
		1 / (1 + LOSS_PER_OCTAVE * math_log2(p[at + 1].x / p[at].x)) *
			(1 - moved->down / moved->up));
}

struct estimate infer_halfway(const struct curve_point *p, unsigned n)
{
	double y[INFER_POINTS];
	struct movement moved;
	const char *problem = take_rise(p, n, y, &moved);

	return problem ? not_resolved(problem) : last_before(p, halfway(y, n), &moved);
}

/*
 * Returns true if a point costs as much as the level that ends there; below that level there may be
 * others.
 */
static bool on_its_level(const struct curve_point *p, const double *y, unsigned n, unsigned at)
{
	double level, before[INFER_POINTS];
	unsigned k = 0;

	for (unsigned i = 0; i <= at; i++)
		if (p[i].x * PERFECT_SPAN >= p[at].x)
			before[k++] = y[i];
	if (k < PERFECT_POINTS)
		return false;
	level = stats_median(before, k);
	return y[at] <= level + PERFECT_PART * (y[n - 1] - level);
}

struct estimate infer_perfect(const struct curve_point *p, unsigned n)
{
	double y[INFER_POINTS];
	struct movement moved;
	const char *problem = take_rise(p, n, y, &moved);

	if (problem)
		return not_resolved(problem);
	for (unsigned at = halfway(y, n) + 1; at--;)
		if (on_its_level(p, y, n, at))
			return last_before(p, at, &moved);
	return not_resolved("rises from the smallest size on");
}

/* A rise that is no cliff: what fades out over a range has no size to the per cent. */

/* The last point before a part of the rise from the first cost to the last is done. */
static unsigned before(const double *y, unsigned n, double part)
{
	unsigned i = 0;

	while (i + 2 < n && y[i + 1] < y[0] + part * (y[n - 1] - y[0]))
		i++;
	return i;
}

/* Returns the x of that place between two points. */
static double place(const struct curve_point *p, const double *y, unsigned n, double part)
{
	unsigned i = before(y, n, part);
	double want = y[0] + part * (y[n - 1] - y[0]), share = (want - y[i]) / (y[i + 1] - y[i]);

	return p[i].x * math_exp(share * math_log(p[i + 1].x / p[i].x));
}

struct estimate infer_soft_rise(const struct curve_point *p, unsigned n, struct estimate e)
{
	double y[INFER_POINTS], narrow = math_log2(e.high / e.low);
	unsigned first, last;

	if (e.reason || points_problem(p, n, RISING_POINTS))
		return e;
	for (unsigned i = 0; i < n; i++)
		y[i] = p[i].y;
	points_remove_outliers(y, n);
	first = before(y, n, RISE_LOW);
	last = before(y, n, RISE_HIGH) + 1;
	if (p[last - 1].x <= SOFT_RATIO * p[first + 1].x)
		return e;
	e.rise_10 = place(p, y, n, RISE_LOW);
	e.rise_50 = place(p, y, n, RISE_MIDDLE);
	e.rise_90 = place(p, y, n, RISE_HIGH);
	e.low = math_min(e.low, p[first].x);
	e.high = math_max(e.high, p[last].x);
	e.confidence *=
		(1 + LOSS_PER_OCTAVE * narrow) / (1 + LOSS_PER_OCTAVE * math_log2(e.high / e.low));
	return e;
}

/* Thresholds for a high cost that falls for good. */

#define FALL_POINTS     3    /* points at least */
#define FALL_LEAST      2    /* first cost over the last, at least */
#define FALL_CLEAR      5    /* no cost is nearer to the middle than 1 / FALL_CLEAR of the fall */
#define FALL_CONFIDENCE 0.95 /* every point is clearly on one side */

/*
 * The first point is high and the last one low. The middle between them and the distance from it
 * are taken in the logarithm of the cost.
 */
struct estimate infer_fall(const struct curve_point *p, unsigned n)
{
	double fall, middle;
	unsigned at = 0;

	if (n < FALL_POINTS)
		return not_resolved("too few points");
	for (unsigned i = 0; i < n; i++)
		if (!(p[i].x > 0) || !(p[i].y > 0) || !math_finite(p[i].y))
			return not_resolved("points that are no times");
	fall = math_log(p[0].y / p[n - 1].y);
	if (fall < math_log(FALL_LEAST))
		return not_resolved("the cost does not fall");
	middle = math_log(p[n - 1].y) + fall / 2;
	while (at < n && math_log(p[at].y) > middle)
		at++;
	for (unsigned i = 0; i < n; i++)
		if (math_abs(math_log(p[i].y) - middle) < fall / FALL_CLEAR ||
			(i >= at && math_log(p[i].y) > middle))
			return not_resolved("neither high nor low");
	return resolved(p[at].x, NOT_A_NUMBER, NOT_A_NUMBER, FALL_CONFIDENCE);
}

/* Thresholds for the number of passes in which a cost falls. */

#define LEARNED_POINTS 5    /* passes that were timed, at least */
#define LEARNED_FALL   1.4  /* first cost over the lowest, more than this: as HALFWAY_RISE */
#define LEARNED_PART   0.05 /* of the fall: a pass that is no more above the lowest */

/*
 * The first pass that is learned, less itself: so many were needed. Later ones may cost more where
 * something disturbs them.
 */
struct estimate infer_learned(const struct curve_point *p, unsigned n)
{
	const char *problem = points_problem(p, n, LEARNED_POINTS);
	double y[INFER_POINTS], lowest;
	unsigned at = 0;

	if (problem)
		return not_resolved(problem);
	for (unsigned i = 0; i < n; i++)
		y[i] = p[i].y;
	points_remove_outliers(y, n);
	lowest = y[0];
	for (unsigned i = 1; i < n; i++)
		lowest = math_min(lowest, y[i]);
	if (p[0].x != 1)
		return not_resolved("the first pass was not measured");
	if (!(y[0] > LEARNED_FALL * lowest))
		return not_resolved("not learned in so many passes");
	while (y[at] > lowest + LEARNED_PART * (y[0] - lowest))
		at++;
	if (p[at].x > p[n - 1].x / 2)
		return not_resolved("still learning in the last passes");
	return resolved(p[at].x - 1, p[at - 1].x, p[at].x,
		1 / (1 + LOSS_PER_OCTAVE * math_log2(p[at].x / p[at - 1].x)));
}

/* Up to where a cost is in proportion to x. */

#define KNEE_POINTS        6    /* points at least */
#define HALF_LEAST         1.9  /* x over that of the point taken for half of x: strides of 16, */
#define HALF_MOST          2.15 /* 15, 32 and 31 bytes make ratios of 1.94 to 2.13 */
#define PROPORTIONAL_LEAST 0.84 /* growth (see below) a quarter of an octave below 1 */
#define PROPORTIONAL_MOST  1.19 /* and above it */
#define CONSTANT_LEAST     0.42 /* growth a quarter of an octave below 1/2 */
#define KNEE_RUN           2    /* points on each side of the knee, at least */
#define KNEE_CONFIDENCE    0.9  /* the rules above leave a random curve hardly a chance */

/*
 * Growth of y from half of x to x, over that of a cost in proportion: 1 below the knee, 1/2 where
 * the cost is constant. NAN where no point is near half of x.
 */
static double growth_at(const struct curve_point *p, unsigned i)
{
	for (unsigned j = i; j-- > 0;) {
		double ratio = p[i].x / p[j].x;

		if (ratio > HALF_LEAST && ratio < HALF_MOST)
			return p[i].y / p[j].y / ratio;
	}
	return NOT_A_NUMBER;
}

static bool proportional(double growth)
{
	return growth >= PROPORTIONAL_LEAST && growth <= PROPORTIONAL_MOST;
}

static bool nearly_constant(double growth)
{
	return growth < PROPORTIONAL_LEAST && growth > CONSTANT_LEAST;
}

/*
 * From the small end: perhaps points that the processor's own work keeps constant, then points in
 * proportion, then the knee, then points that grow less.
 */
struct estimate infer_knee(const struct curve_point *p, unsigned n)
{
	const char *problem = points_problem(p, n, KNEE_POINTS);
	unsigned before = 0, after = 0, at = 0, next = 0;

	if (problem)
		return not_resolved(problem);
	for (unsigned i = 0; i < n && after < KNEE_RUN; i++) {
		double growth = growth_at(p, i);

		if (!(p[i].y > 0))
			return not_resolved("points that are no times");
		if (growth != growth)
			continue;
		if (proportional(growth) && !after) {
			before++;
			at = i;
		} else if (!nearly_constant(growth)) {
			return not_resolved("no slope that ends in a plateau");
		} else if (before) {
			next = after++ ? next : i;
		}
	}
	if (before < KNEE_RUN)
		return not_resolved("no slope that ends in a plateau");
	if (after < KNEE_RUN)
		return not_resolved("grows up to the largest stride");
	return resolved(p[at].x, p[at].x, p[next].x, KNEE_CONFIDENCE);
}

/* A step on a slope, and a line that becomes steeper. */

#define SIDE_POINTS   3    /* points on each side of a change, at least */
#define CHANGE_POINTS 8    /* points of the curve, at least */
#define CHANGE_LEAST  0.25 /* size of a change, as a part of what the first line predicts there */
#define TIE_PART      0.2  /* of what a bend adds from one point to the next */
#define CHANGE_SIGMAS 6    /* size of a change, in standard deviations of the residuals */

/* Two lines that meet at a change point. */
struct two_lines {
	struct straight_line below, above;
	unsigned at;   /* last point of the line below */
	double sigma2; /* variance of the residuals around both */
};

static double value_at(const struct straight_line *l, double x)
{
	return l->at + l->slope * x;
}

/* Fits them with the change point that leaves the least squared error. NULL, or why it cannot. */
static const char *fit_two_lines(const struct curve_point *p, unsigned n, struct two_lines *best)
{
	const char *problem = points_problem(p, n, CHANGE_POINTS);
	double y[INFER_POINTS];

	if (problem)
		return problem;
	for (unsigned i = 0; i < n; i++)
		y[i] = p[i].y;
	points_remove_outliers(y, n);
	best->at = 0;
	for (unsigned i = SIDE_POINTS - 1; i + SIDE_POINTS < n; i++) {
		struct straight_line below = points_line(p, y, 0, i);
		struct straight_line above = points_line(p, y, i + 1, n - 1);
		double sigma2 = (below.errors + above.errors) / (n - 4); /* 4 numbers were fitted */

		if (!best->at || sigma2 < best->sigma2)
			*best = (struct two_lines){ below, above, i, sigma2 };
	}
	return NULL;
}

/* A change of that size: large beside what the first line predicts, and beside the scatter. */
static bool stands_out(double size, double predicted, double sigma2)
{
	return size > CHANGE_LEAST * predicted &&
		size * size >= CHANGE_SIGMAS * CHANGE_SIGMAS * sigma2;
}

/* The confidence is 1/2 for a change that only just exceeds the scatter, and 1 without scatter. */
static struct estimate change_at(const struct curve_point *p, const struct two_lines *lines,
	double size)
{
	return resolved(p[lines->at].x, p[lines->at].x, p[lines->at + 1].x,
		1 / (1 + CHANGE_SIGMAS * CHANGE_SIGMAS * lines->sigma2 / (size * size)));
}

/*
 * The size of a step is the distance between the lines at the last point below. A bend, after which
 * the line only is steeper, has none there.
 */
struct estimate infer_step(const struct curve_point *p, unsigned n)
{
	struct two_lines lines;
	const char *problem = fit_two_lines(p, n, &lines);
	double low, jump;

	if (problem)
		return not_resolved(problem);
	low = value_at(&lines.below, p[lines.at].x);
	jump = value_at(&lines.above, p[lines.at].x) - low;
	if (!stands_out(jump, low, lines.sigma2))
		return not_resolved("no step stands out");
	return change_at(p, &lines, jump);
}

/*
 * Give a point in which both lines meet to the first line: it lies on both, and the least error
 * does not tell to which it belongs.
 */
static void take_ties(const struct curve_point *p, unsigned n, struct two_lines *l)
{
	while (l->at + 2 < n) {
		const struct curve_point *next = &p[l->at + 1];
		double most = (l->above.slope - l->below.slope) * (next->x - p[l->at].x);

		if (next->y - value_at(&l->below, next->x) > TIE_PART * most)
			return;
		l->at++;
	}
}

/* The size of a bend is the distance between the lines at the last point of the curve. */
struct estimate infer_bend(const struct curve_point *p, unsigned n)
{
	struct two_lines lines;
	const char *problem = fit_two_lines(p, n, &lines);
	double straight, excess;

	if (problem)
		return not_resolved(problem);
	take_ties(p, n, &lines);
	straight = value_at(&lines.below, p[n - 1].x);
	excess = value_at(&lines.above, p[n - 1].x) - straight;
	if (!(lines.below.slope > 0) || !stands_out(excess, straight, lines.sigma2))
		return not_resolved("no bend stands out");
	return change_at(p, &lines, excess);
}
