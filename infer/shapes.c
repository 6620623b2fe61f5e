/* SPDX-License-Identifier: MIT */
/* Saturation, steps, knees and half-way points: curves that are no staircases. */
#include "infer/infer.h"
#include "lib/math.h"
#include "lib/stats.h"

static struct estimate unresolved(const char *reason)
{
	return (struct estimate){ NOT_A_NUMBER, NOT_A_NUMBER, NOT_A_NUMBER, 0, reason };
}

static bool sound(const struct point *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!math_finite(p[i].y) || !(p[i].x > 0) || (i && p[i].x <= p[i - 1].x))
			return false;
	return n <= INFER_POINTS;
}

/* Isolated outliers removed; steps and slopes stay as they are. */
static void smooth(const struct point *p, unsigned n, double *y)
{
	for (unsigned i = 0; i < n; i++)
		y[i] = i && i + 1 < n ? math_median_of_three(p[i - 1].y, p[i].y, p[i + 1].y)
				      : p[i].y;
}

/* Height of the highest stretch of five points (three of few): one that noise does not make. */
static double top(const double *y, unsigned n)
{
	unsigned width = n < 12 ? 3 : 5;
	double best = 0, v[5];

	for (unsigned i = 0; i + width <= n; i++) {
		for (unsigned k = 0; k < width; k++)
			v[k] = y[i + k];
		double middle = stats_median(v, width);

		best = middle > best ? middle : best;
	}
	return best;
}

/* From where it is first nearly reached to where it was last seen. */
static void plateau(const double *y, unsigned n, unsigned *first, unsigned *last)
{
	double height = top(y, n);

	*first = 0;
	*last = n - 1;
	while (*first < *last && y[*first] < 0.93 * height)
		++*first;
	while (*last > *first && y[*last] < 0.93 * height)
		--*last;
}

/* Least squares line through points first..last. */
struct line {
	double at, slope, errors; /* value at x = 0, sum of squared residuals */
};

static struct line fit_line(const struct point *p, const double *y, unsigned first, unsigned last)
{
	double n = last - first + 1, mx = 0, my = 0, xx = 0, xy = 0;
	struct line l = { 0 };

	for (unsigned i = first; i <= last; i++) {
		mx += p[i].x / n;
		my += y[i] / n;
	}
	for (unsigned i = first; i <= last; i++) {
		xx += (p[i].x - mx) * (p[i].x - mx);
		xy += (p[i].x - mx) * (y[i] - my);
	}
	l.slope = xx > 0 ? xy / xx : 0;
	l.at = my - l.slope * mx;
	for (unsigned i = first; i <= last; i++) {
		double r = y[i] - l.at - l.slope * p[i].x;

		l.errors += r * r;
	}
	return l;
}

static double value_at(const struct line *l, double x)
{
	return l->at + l->slope * x;
}

/* Elasticity of the plateau, d ln y / d ln x, less two standard errors: 1 follows the lanes. */
static double growth(const struct point *p, unsigned first, unsigned last)
{
	struct point logs[INFER_POINTS] = { 0 };
	double y[INFER_POINTS] = { 0 }, mean = 0, spread = 0;
	unsigned n = last - first + 1;

	for (unsigned i = 0; i < n; i++) {
		logs[i].x = math_log(p[first + i].x);
		y[i] = math_log(p[first + i].y);
		mean += logs[i].x / n;
	}
	struct line l = fit_line(logs, y, 0, n - 1);

	for (unsigned i = 0; i < n; i++)
		spread += (logs[i].x - mean) * (logs[i].x - mean);
	return l.slope - 2 * __builtin_sqrt(l.errors / (n - 2) / spread);
}

/*
 * With k lanes no speed-up is above k, so a plateau is one only when lanes well above its height
 * were tried.
 */
struct estimate infer_saturation(const struct point *p, unsigned n)
{
	double y[INFER_POINTS], value;
	unsigned first, last, count = 0;

	if (n < 4)
		return unresolved("too few points");
	if (!sound(p, n))
		return unresolved("points that are no numbers");
	for (unsigned i = 0; i < n; i++)
		if (!(p[i].y > 0))
			return unresolved("points that are no speed-ups");
	smooth(p, n, y);
	plateau(y, n, &first, &last);
	if (last - first < 2)
		return unresolved("the speed-up has no plateau");
	for (unsigned i = first; i <= last; i++)
		y[count++] = p[i].y;
	value = stats_median(y, count);
	if (p[last].x < 1.15 * value || p[last].x < 1.2 * p[first].x ||
		growth(p, first, last) > 0.25)
		return unresolved("grows up to the most lanes tried");
	if (y[count - 1] > 1.5 * value)
		return unresolved("scatters too much");
	return (struct estimate){ value, y[0], y[count - 1],
		1 / (1 + (y[count - 1] - y[0]) / value), NULL };
}

#define SIDE 3 /* points on each side of a change, at least */

/* Two lines and where they part: the change point that leaves the least squared error. */
struct parted {
	struct line below, above;
	unsigned at; /* last point of the line below */
	double sigma2;
};

static const char *part(const struct point *p, unsigned n, struct parted *best)
{
	double y[INFER_POINTS];

	if (n < 2 * SIDE + 2)
		return "too few points";
	if (!sound(p, n))
		return "points that are no numbers";
	smooth(p, n, y);
	best->at = 0;
	for (unsigned i = SIDE - 1; i + SIDE < n; i++) {
		struct line below = fit_line(p, y, 0, i), above = fit_line(p, y, i + 1, n - 1);
		double sigma2 = (below.errors + above.errors) / (n - 4);

		if (!best->at || sigma2 < best->sigma2)
			*best = (struct parted){ below, above, i, sigma2 };
	}
	return NULL;
}

static struct estimate change_at(const struct point *p, const struct parted *parted, double size)
{
	return (struct estimate){ p[parted->at].x, p[parted->at].x, p[parted->at + 1].x,
		1 / (1 + 36 * parted->sigma2 / (size * size)), NULL };
}

/*
 * The jump between the two lines must stand out of the scatter. It is taken at the last point below: a
 * bend, from which on the line is only steeper, has none there.
 */
struct estimate infer_step(const struct point *p, unsigned n)
{
	struct parted parted;
	const char *why = part(p, n, &parted);
	double low, jump;

	if (why)
		return unresolved(why);
	low = value_at(&parted.below, p[parted.at].x);
	jump = value_at(&parted.above, p[parted.at].x) - low;
	if (!(jump > 0.25 * low) || jump * jump < 36 * parted.sigma2)
		return unresolved("no step stands out");
	return change_at(p, &parted, jump);
}

/* What the last point costs above the first line, drawn on, must stand out of the scatter. */
struct estimate infer_bend(const struct point *p, unsigned n)
{
	struct parted parted;
	const char *why = part(p, n, &parted);
	double straight, excess;

	if (why)
		return unresolved(why);
	straight = value_at(&parted.below, p[n - 1].x);
	excess = value_at(&parted.above, p[n - 1].x) - straight;
	if (!(parted.below.slope > 0) || !(excess > 0.25 * straight) ||
		excess * excess < 36 * parted.sigma2)
		return unresolved("no bend stands out");
	return change_at(p, &parted, excess);
}

/*
 * Growth from half of x to x, over that of a cost in proportion: 1 below the knee, 1/2 where the
 * cost is flat. NAN where no point is near half of x.
 */
static double doubling(const struct point *p, unsigned i)
{
	for (unsigned j = i; j-- > 0;) {
		double ratio = p[i].x / p[j].x;

		if (ratio > 1.9 && ratio < 2.15)
			return p[i].y / p[j].y / ratio;
	}
	return NOT_A_NUMBER;
}

static bool proportional(double growth)
{
	return growth >= 0.84 && growth <= 1.19;
}

static bool level_off(double growth)
{
	return growth < 0.84 && growth > 0.42;
}

/*
 * From the small end: perhaps points that the processor's own work keeps flat, then at least two in
 * proportion, then the knee, then at least two that grow less.
 */
struct estimate infer_knee(const struct point *p, unsigned n)
{
	unsigned run = 0, after = 0, at = 0, next = 0;

	if (n < 6)
		return unresolved("too few points");
	if (!sound(p, n))
		return unresolved("points that are no numbers");
	for (unsigned i = 0; i < n && after < 2; i++) {
		double growth = doubling(p, i);

		if (!(p[i].y > 0))
			return unresolved("points that are no times");
		if (growth != growth)
			continue;
		if (proportional(growth) && !after) {
			run++;
			at = i;
		} else if (!level_off(growth)) {
			return unresolved("no slope that ends in a plateau");
		} else if (run) {
			next = after++ ? next : i;
		}
	}
	if (run < 2)
		return unresolved("no slope that ends in a plateau");
	if (after < 2)
		return unresolved("grows up to the largest stride");
	return (struct estimate){ p[at].x, p[at].x, p[next].x, 0.9, NULL };
}

struct estimate infer_halfway(const struct point *p, unsigned n)
{
	double y[INFER_POINTS], up = 0, down = 0, half;
	unsigned at = 0, tail;

	if (n < 5)
		return unresolved("too few points");
	if (!sound(p, n))
		return unresolved("points that are no numbers");
	smooth(p, n, y);
	for (unsigned i = 1; i < n; i++) {
		up += y[i] > y[i - 1] ? y[i] - y[i - 1] : 0;
		down += y[i] < y[i - 1] ? y[i - 1] - y[i] : 0;
	}
	if (!(y[n - 1] > 1.4 * y[0]))
		return unresolved("the curve is flat");
	if (down > 0.4 * up)
		return unresolved("does not rise steadily");
	for (tail = n - 1; tail && p[tail].x > p[n - 1].x / 2;)
		tail--;
	half = (y[0] + y[n - 1]) / 2;
	if (y[n - 1] - y[tail] > 0.2 * (y[n - 1] - y[0]))
		return unresolved("grows up to the largest size");
	while (at + 1 < n && y[at + 1] < half)
		at++;
	return (struct estimate){ p[at].x, p[at].x, p[at + 1].x,
		1 / (1 + 0.25 * math_log2(p[at + 1].x / p[at].x)) * (1 - down / up), NULL };
}
