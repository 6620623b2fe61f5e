/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "lib/stats.h"
#include "report/allocate.h"
#include "report/compare/student.h"
#include "report/compare/variance.h"

#define FACTOR_LEAST 0.00001 /* of the median factor: runs may agree by chance, and 0 has no log */

/* The logarithm of a factor, less what chance makes of it. */
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
	double sum = 0, squares = 0, chance = 0;

	if (n < VARIANCE_ROWS)
		return (struct variance){ 1, 0 };
	double least = least_factor(rows, n), count = (double)n;
	for (size_t i = 0; i < n; i++) {
		double e = log_factor(rows[i], least);
		sum += e;
		squares += e * e;
		chance += trigamma(rows[i].df / 2);
	}
	double mean = sum / count, spread = (squares - count * mean * mean) / (count - 1);
	double more = spread - chance / count;
	if (!(more > 0))
		return (struct variance){ exp(mean), INFINITY };
	double df = 2 * trigamma_inverse(more);
	return (struct variance){ exp(mean + digamma(df / 2) - log(df / 2)), df };
}

struct variance variance_moderated(struct variance prior, struct variance row, double most)
{
	double df = prior.df + row.df;

	if (isinf(df))
		return (struct variance){ prior.factor, most };
	return (struct variance){ (prior.df * prior.factor + row.df * row.factor) / df,
		fmin(df, most) };
}
