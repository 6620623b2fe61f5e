/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "linux/report/compare/statistics.h"
#include "lib/stats.h"
#include "linux/report/allocate.h"
#include "lib/math.h"

#define NORMAL_FROM 1e6 /* degrees of freedom: from here on no visible digit differs */
#define ASYMPTOTIC  12  /* from this argument on the series are exact to 13 digits */
#define STEPS       200 /* of a bisection: down to neighbouring numbers */
#define TERMS       500 /* of a continued fraction, which needs about 3 sqrt(df) */
#define TINY        1e-300

static double apart_from_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/*
 * The continued fraction of the incomplete beta function, DLMF 8.17.22, by the modified method of
 * Lentz: https://dlmf.nist.gov/8.17.v
 */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 / apart_from_zero(1 - (a + b) * x / (a + 1)), f = d;

	for (int m = 1; m < TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / apart_from_zero(1 + even * d);
		c = apart_from_zero(1 + even / c);
		f *= c * d;
		d = 1 / apart_from_zero(1 + odd * d);
		c = apart_from_zero(1 + odd / c);
		f *= c * d;
		if (fabs(c * d - 1) < 1e-15)
			break;
	}
	return f;
}

/* Returns the regularised incomplete beta function I_x(a, b): NIST DLMF 8.17.2. */
static double incomplete_beta(double x, double a, double b)
{
	if (x <= 0 || x >= 1)
		return x > 0;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* P(T > t), t >= 0, of df > 0 degrees of freedom. */
static double student_tail(double t, double df)
{
	if (df >= NORMAL_FROM)
		return erfc(t / M_SQRT2) / 2;
	return incomplete_beta(df / (df + t * t), df / 2, 0.5) / 2;
}

double student_quantile(double tail, double df)
{
	double low = 0, high = 1;

	while (student_tail(high, df) > tail && high < 1e300)
		high *= 2;
	for (int i = 0; i < STEPS; i++) {
		double middle = (low + high) / 2;
		if (student_tail(middle, df) > tail)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/*
 * First and second derivative of log gamma; x > 0.
 *
 * DLMF 5.5.2 and 5.11.2.
 */
static double digamma(double x)
{
	double sum = 0;

	for (; x < ASYMPTOTIC; x++)
		sum -= 1 / x;
	double y = 1 / (x * x);
	return sum + log(x) - 0.5 / x -
		y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y * (1. / 240 - y / 132))));
}

/* Trigamma: DLMF 5.15.5 and 5.15.8. */
static double trigamma(double x)
{
	double sum = 0;

	for (; x < ASYMPTOTIC; x++)
		sum += 1 / (x * x);
	double y = 1 / (x * x);
	return sum + 1 / x + y / 2 +
		y / x * (1. / 6 - y * (1. / 30 - y * (1. / 42 - y * (1. / 30 - y * 5 / 66))));
}

/* x with trigamma(x) = y > 0. Trigamma falls everywhere, so bisect by the logarithm of x. */
static double trigamma_inverse(double y)
{
	double low = log(1e-8), high = log(1e12);

	for (int i = 0; i < STEPS; i++) {
		double middle = (low + high) / 2;
		if (trigamma(exp(middle)) > y)
			low = middle;
		else
			high = middle;
	}
	return exp((low + high) / 2);
}

static double square(double x)
{
	return x * x;
}

/* The logarithm of a factor, minus its expected value by chance. */
static double log_factor(struct variance v, double least)
{
	return log(fmax(v.factor, least)) - digamma(v.df / 2) + log(v.df / 2);
}

static double least_factor(const struct variance *rows, size_t n)
{
	double *factors = new_array(n, sizeof *factors);

	for (size_t i = 0; i < n; i++)
		factors[i] = rows[i].factor;
	double least = FACTOR_LEAST * stats_median(factors, n);
	free(factors);
	return fmax(least, 1e-12);
}

struct variance variance_prior(const struct variance *rows, size_t n)
{
	double sum = 0, squares = 0, fourths = 0, chance = 0;

	if (n < VARIANCE_ROWS)
		return (struct variance){ 1, 0 };
	double least = least_factor(rows, n), count = (double)n;
	for (size_t i = 0; i < n; i++) {
		sum += log_factor(rows[i], least);
		chance += trigamma(rows[i].df / 2);
	}
	double mean = sum / count;
	for (size_t i = 0; i < n; i++) {
		double away = square(log_factor(rows[i], least) - mean);
		squares += away;
		fourths += away * away;
	}
	double spread = squares / (count - 1);
	double error = sqrt(fmax(0, fourths / count - spread * spread) / count);
	double more = spread + error - chance / count;
	if (!(more > 0))
		return (struct variance){ exp(mean), INFINITY };
	double df = 2 * trigamma_inverse(more);
	return (struct variance){ exp(mean + digamma(df / 2) - log(df / 2)), df };
}

/* The row's own variance drawn towards the prior; df at most `most`, the df of all rows. */
static struct variance variance_moderated(struct variance prior, struct variance row, double most)
{
	double df = prior.df + row.df;

	if (isinf(df))
		return (struct variance){ prior.factor, most };
	return (struct variance){ (prior.df * prior.factor + row.df * row.factor) / df,
		fmin(df, most) };
}

#define RESAMPLES 200 /* with so many, the error of a standard error is 5 % */
#define SEED      1

#define MEDIAN_OVER_MEAN 1.2533 /* standard error of a median over a mean's, normal: sqrt(pi / 2) */

/* Draw n samples in blocks; the first sample follows the last. */
static void draw_blocks(const double *values, size_t n, struct random *random, double *out)
{
	size_t block = (size_t)sqrt((double)n), filled = 0;

	while (filled < n) {
		size_t at = random_below(random, n);
		for (size_t i = 0; i < block && filled < n; i++, filled++) {
			out[filled] = values[at];
			at = at + 1 == n ? 0 : at + 1;
		}
	}
}

double median_error(const double *values, size_t n)
{
	double *drawn = new_array(n + 1, sizeof *drawn), sum = 0, squares = 0;
	struct random random;

	random_seed(&random, SEED);
	for (int i = 0; n > 1 && i < RESAMPLES; i++) {
		draw_blocks(values, n, &random, drawn);
		double away = stats_median(drawn, n) - values[0];
		sum += away;
		squares += away * away;
	}
	free(drawn);
	return sqrt(fmax(0, squares / RESAMPLES - sum / RESAMPLES * (sum / RESAMPLES)));
}

double median_error_by_mad(double mad, double n)
{
	return n > 1 ? MEDIAN_OVER_MEAN * MAD_TO_SIGMA * mad / sqrt(n) : 0;
}

#define DF_MOST 1e6

struct variance run_variance(double assumed, double median_error)
{
	return (struct variance){ square(assumed) + square(median_error), ASSUMED_DF };
}

struct set_side side_of_values(const double *values, size_t n, struct variance of_one)
{
	struct set_side s = { (double)n, 0, NAN, of_one.factor, of_one.df };
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		s.mean += values[i] / s.runs;
	for (size_t i = 0; i < n; i++)
		squares += square(values[i] - s.mean);
	if (n > 1)
		s.own = squares / (s.runs - 1);
	return s;
}

/* Variance of a side's mean, as the factor. */
static struct variance mean_variance(const struct set_side *s, const struct lot *lot)
{
	struct variance v = { s->expected, s->part_df };

	if (!isnan(s->own)) {
		struct variance row = { s->own / s->expected, s->runs - 1 };
		v = variance_moderated(lot->prior, row, fmax(lot->df, row.df));
		v.factor *= s->expected;
	}
	v.factor = fmax(v.factor, square(RUN_LEAST)) / s->runs;
	return v;
}

static bool one_variance(const struct set_side side[2], const struct lot lot[2])
{
	return side[0].runs == side[1].runs && side[0].runs > 1 && lot[0].prior.df == 0 &&
		lot[1].prior.df == 0;
}

static void find_p(struct effect *e)
{
	e->p = 2 * student_tail(fabs(e->size) / e->error, e->df);
}

/*
 * The degrees of freedom from the other rows, for both sides together: a row that is noisier than
 * the others is so on both sides, so that they count once, not once for each side.
 */
static double of_other_rows(const struct lot lot[2])
{
	return fmin(fmin(lot[0].prior.df, lot[0].df), fmin(lot[1].prior.df, lot[1].df));
}

struct effect effect_of(const struct set_side side[2], const struct lot lot[2])
{
	struct variance a = mean_variance(&side[0], &lot[0]), b = mean_variance(&side[1], &lot[1]);
	double sum = a.factor + b.factor;
	struct effect e = { .size = side[1].mean - side[0].mean, .error = sqrt(sum) };

	e.df = one_variance(side, lot)
		? a.df + b.df
		: square(sum) / (square(a.factor) / a.df + square(b.factor) / b.df);
	e.df = fmin(fmin(e.df, a.df + b.df - of_other_rows(lot)), DF_MOST);
	find_p(&e);
	return e;
}

struct variance effect_scale(const struct effect *e, size_t n)
{
	struct variance *rows = new_array(n + 1, sizeof *rows);

	for (size_t i = 0; i < n; i++)
		rows[i] = (struct variance){
			square(fmax(fabs(e[i].size), RUN_LEAST * M_SQRT2) / e[i].error), 1
		};
	struct variance scale = variance_prior(rows, n);
	free(rows);
	return scale;
}

void effect_rescale(struct effect *e, struct variance scale, double most)
{
	if (scale.df == 0)
		return;
	most = fmax(most, e->error);
	e->error = fmin(fmax(e->error * sqrt(scale.factor), RUN_LEAST * M_SQRT2), most);
	e->df = fmin(e->df, scale.df);
	find_p(e);
}

void effect_bound(struct effect *e, double error)
{
	struct effect bound = { e->size, error, DF_MOST, NAN };

	find_p(&bound);
	if (bound.p < e->p)
		*e = bound;
}

double effect_runs_wanted(const struct effect *e, const struct set_side side[2], double margin)
{
	double size = fabs(e->size), have = fmax(side[0].runs, side[1].runs);
	double half = fmax(margin - size, 0.75 * size);
	double one = square(e->error) / (1 / side[0].runs + 1 / side[1].runs);
	double wanted = fmax(ceil(8 * one / square(half)), fmax(have + 1, RUNS_LEAST));

	return wanted <= RUNS_MOST ? wanted : NAN;
}

double effect_half(const struct effect *e)
{
	return e->error * student_quantile(0.025, e->df);
}
