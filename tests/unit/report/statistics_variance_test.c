/* SPDX-License-Identifier: MIT */
/* Variances that are drawn towards each other: against factors whose distribution is known. */
#include <math.h>

#include "lib/math.h"
#include "report/compare/statistics.h"
#include "tests/unit/test.h"

#define ROWS 2000

static double uniform(struct random *r)
{
	return ((double)(random_next(r) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct random *r)
{
	return sqrt(-2 * log(uniform(r))) * cos(6.283185307179586 * uniform(r));
}

/* A chi-squared variate over its degrees of freedom. */
static double chi(struct random *r, int df)
{
	double sum = 0;

	for (int i = 0; i < df; i++) {
		double x = normal(r);
		sum += x * x / df;
	}
	return sum;
}

/* Rows whose true factors are `scale` over chi-squared variates of `tail` degrees; 0: all alike. */
static struct variance prior_of(double scale, int tail, int df)
{
	static struct variance rows[ROWS];
	struct random r;

	random_seed(&r, 5);
	for (int i = 0; i < ROWS; i++) {
		double truth = tail ? scale / chi(&r, tail) : scale;
		rows[i] = (struct variance){ truth * chi(&r, df), df };
	}
	return variance_prior(rows, ROWS);
}

TEST(test_what_rows_say_of_each_other)
{
	static const struct {
		double scale;
		int tail, df;
	} cases[] = { { 1, 4, 4 }, { 0.1, 8, 2 }, { 3, 3, 9 }, { 2, 0, 4 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct variance p = prior_of(cases[i].scale, cases[i].tail, cases[i].df);
		double part = cases[i].tail ? p.df / cases[i].tail : 1;

		if (!(fabs(p.factor / cases[i].scale - 1) < 0.15 && part > 0.7 && part < 1.5))
			fail_msg("expected %g with %d degrees of freedom, got %g with %g",
				cases[i].scale, cases[i].tail, p.factor, p.df);
		if (!cases[i].tail && p.df < 50)
			fail_msg("rows are all alike, got only %g degrees of freedom", p.df);
	}
}

TEST(test_few_rows_say_nothing)
{
	struct variance rows[VARIANCE_ROWS] = { { 1, 2 } };

	assert_true(variance_prior(rows, VARIANCE_ROWS - 1).df == 0);
	assert_true(variance_prior(rows, 0).df == 0);
	for (int i = 0; i < VARIANCE_ROWS; i++)
		rows[i] = (struct variance){ 0, 2 }; /* of runs that agree in every digit */
	assert_true(isfinite(variance_prior(rows, VARIANCE_ROWS).factor));
}

TEST(test_drawn_towards_the_others)
{
	struct variance prior = { 1, 6 }, row = { 4, 2 };
	struct variance all = { 1, INFINITY }, none = { 1, 0 };

	assert_true(fabs(variance_moderated(prior, row, 100).factor - 14 / 8.) < 1e-12);
	assert_true(variance_moderated(prior, row, 100).df == 8);
	assert_true(variance_moderated(prior, row, 5).df == 5);
	assert_true(variance_moderated(all, row, 100).factor == 1);
	assert_true(variance_moderated(all, row, 100).df == 100);
	assert_true(variance_moderated(none, row, 100).factor == 4);
}
