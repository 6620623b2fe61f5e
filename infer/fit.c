/* SPDX-License-Identifier: MIT */
#include "infer/fit.h"
#include "lib/math.h"
#include "lib/stats.h"

static bool take_logarithms(struct fitted *w, const struct point *curve, unsigned n, double offset)
{
	for (unsigned i = 0; i < n; i++) {
		double y = curve[i].y + offset;

		if (!math_finite(y) || !(y > 0) || !(curve[i].x > 0) ||
			(i && curve[i].x <= curve[i - 1].x))
			return false;
		w->x[i] = math_log2(curve[i].x);
		w->raw[i] = math_log(y);
	}
	w->n = n;
	return true;
}

/* Pool adjacent violators: least squares among rising functions. */
static void fit_rising(const double *y, unsigned n, double *fit)
{
	double sum[INFER_POINTS];
	unsigned size[INFER_POINTS], blocks = 0, at = 0;

	for (unsigned i = 0; i < n; i++) {
		sum[blocks] = y[i];
		size[blocks++] = 1;
		while (blocks > 1 &&
			sum[blocks - 2] * size[blocks - 1] > sum[blocks - 1] * size[blocks - 2]) {
			sum[blocks - 2] += sum[blocks - 1];
			size[blocks - 2] += size[blocks - 1];
			blocks--;
		}
	}
	for (unsigned b = 0; b < blocks; b++)
		for (unsigned i = 0; i < size[b]; i++)
			fit[at++] = sum[b] / size[b];
}

/* Scatter of raw around fit, as a standard deviation: robust against outliers. */
static double scatter(const struct fitted *w)
{
	double r[INFER_POINTS];

	for (unsigned i = 0; i < w->n; i++)
		r[i] = math_abs(w->raw[i] - w->fit[i]);
	return 1.4826 * stats_median(r, w->n);
}

/* Isolated outliers removed; any monotone curve stays as it is. */
static void smooth(const double *raw, unsigned n, double *out)
{
	out[0] = raw[0];
	out[n - 1] = raw[n - 1];
	for (unsigned i = 1; i + 1 < n; i++)
		out[i] = math_median_of_three(raw[i - 1], raw[i], raw[i + 1]);
}

const char *infer_fit(struct fitted *w, const struct point *curve, unsigned n,
	const struct staircase_rules *rules)
{
	double clean[INFER_POINTS], up = 0, down = 0;

	w->rise = math_log(rules->rise);
	w->noise = 0;
	if (n < 5 || n > INFER_POINTS)
		return "too few points";
	if (!take_logarithms(w, curve, n, rules->offset))
		return "points that are no numbers";
	smooth(w->raw, n, clean);
	for (unsigned i = 1; i < w->n; i++) {
		up += math_max(0, clean[i] - clean[i - 1]);
		down += math_max(0, clean[i - 1] - clean[i]);
	}
	fit_rising(clean, w->n, w->fit);
	w->noise = scatter(w);
	if (w->fit[w->n - 1] - w->fit[0] < w->rise)
		return "the curve is flat";
	if (down > 0.4 * up || w->noise > 0.15)
		return "does not rise steadily";
	return NULL;
}
