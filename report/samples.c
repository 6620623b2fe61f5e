/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/random.h"
#include "lib/stats.h"
#include "report/allocate.h"
#include "report/samples.h"

#define RESAMPLES 1000
#define SEED      1

struct taken {
	double value;
	size_t when;
};

/* Ties in the order taken, so that the result never depends on qsort. */
static int taken_ascending(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;
	int by_value = (x->value > y->value) - (x->value < y->value);

	return by_value ? by_value : (x->when > y->when) - (x->when < y->when);
}

void samples_init(struct samples *s, const double *values, size_t n)
{
	struct taken *taken = new_array(n + 1, sizeof *taken);

	for (size_t i = 0; i < n; i++)
		taken[i] = (struct taken){ values[i], i };
	qsort(taken, n, sizeof *taken, taken_ascending);
	s->n = n;
	s->sorted = new_array(n + 1, sizeof *s->sorted);
	s->rank = new_array(n + 1, sizeof *s->rank);
	for (size_t i = 0; i < n; i++) {
		s->sorted[i] = taken[i].value;
		s->rank[taken[i].when] = i;
	}
	free(taken);
}

void samples_free(struct samples *s)
{
	free(s->sorted);
	free(s->rank);
}

double deviation_of(const double *sorted, size_t n)
{
	double median = stats_quantile(sorted, n, 0.5), deviation;
	double *away = new_array(n, sizeof *away);

	for (size_t i = 0; i < n; i++)
		away[i] = fabs(sorted[i] - median);
	deviation = stats_median(away, n);
	free(away);
	return deviation;
}

/* Draws n samples in blocks; how[r] counts how often the sample of rank r was drawn. */
static void draw(const struct samples *s, struct random *random, unsigned *how)
{
	size_t block = (size_t)sqrt((double)s->n), left = s->n;

	memset(how, 0, s->n * sizeof *how);
	while (left) {
		size_t at = random_below(random, s->n);
		for (size_t i = 0; i < block && left; i++, left--) {
			how[s->rank[at]]++;
			at = at + 1 == s->n ? 0 : at + 1;
		}
	}
}

/* The k-th smallest (from 0) of the drawn samples. */
static double drawn(const struct samples *s, const unsigned *how, size_t k)
{
	size_t rank = 0;

	while (how[rank] <= k)
		k -= how[rank++];
	return s->sorted[rank];
}

static double drawn_median(const struct samples *s, struct random *random, unsigned *how)
{
	draw(s, random, how);
	return (drawn(s, how, (s->n - 1) / 2) + drawn(s, how, s->n / 2)) / 2;
}

struct interval ratio_interval(const struct samples *a, const struct samples *b)
{
	double ratios[RESAMPLES];
	struct random random;

	if (!a->n || !b->n)
		return (struct interval){ NAN, NAN };
	random_seed(&random, SEED);
	unsigned *how = new_array(a->n > b->n ? a->n : b->n, sizeof *how);
	for (size_t i = 0; i < RESAMPLES; i++) {
		double base = drawn_median(a, &random, how);
		ratios[i] = drawn_median(b, &random, how) / base;
	}
	free(how);
	stats_sort(ratios, RESAMPLES);
	return (struct interval){ stats_quantile(ratios, RESAMPLES, 0.025),
		stats_quantile(ratios, RESAMPLES, 0.975) };
}
