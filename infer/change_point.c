/* SPDX-License-Identifier: MIT */
/* A step on a slope, and a line that becomes steeper; docs/method.md, "Steps and bends". */
#include "infer/points.h"
#include "lib/math.h"

#define SIDE_POINTS   3    /* points on each side of a change, at least */
#define CHANGE_POINTS 8    /* points of the curve, at least */
#define CHANGE_LEAST  0.25 /* size of a change, as a part of what the first line predicts there */
#define TIE_PART      0.2  /* of what a bend adds from one point to the next */
#define CHANGE_SIGMAS 6    /* size of a change, in standard deviations of the residuals */

/* Two lines that meet at a change point. */
struct two_lines {
	struct line below, above;
	unsigned at;   /* last point of the line below */
	double sigma2; /* variance of the residuals around both */
};

static double value_at(const struct line *l, double x)
{
	return l->at + l->slope * x;
}

/* Fits them with the change point that leaves the least squared error. NULL, or why it cannot. */
static const char *fit_two_lines(const struct point *p, unsigned n, struct two_lines *best)
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
		struct line below = points_line(p, y, 0, i);
		struct line above = points_line(p, y, i + 1, n - 1);
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
static struct estimate change_at(const struct point *p, const struct two_lines *lines, double size)
{
	return resolved(p[lines->at].x, p[lines->at].x, p[lines->at + 1].x,
		1 / (1 + CHANGE_SIGMAS * CHANGE_SIGMAS * lines->sigma2 / (size * size)));
}

/*
 * The size of a step is the distance between the lines at the last point below. A bend, after which
 * the line only is steeper, has none there.
 */
struct estimate infer_step(const struct point *p, unsigned n)
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
 * Where two lines meet in a point of the curve, this point lies on both, and the least error does
 * not tell to which it belongs. It is the last one of the first line.
 */
static void take_ties(const struct point *p, unsigned n, struct two_lines *l)
{
	while (l->at + 2 < n) {
		const struct point *next = &p[l->at + 1];
		double most = (l->above.slope - l->below.slope) * (next->x - p[l->at].x);

		if (next->y - value_at(&l->below, next->x) > TIE_PART * most)
			return;
		l->at++;
	}
}

/* The size of a bend is the distance between the lines at the last point of the curve. */
struct estimate infer_bend(const struct point *p, unsigned n)
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
