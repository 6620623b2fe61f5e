/* SPDX-License-Identifier: MIT */
#include <err.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/samples.h"

#define RESAMPLES 1000
#define SEED      0x616e6563686f6963ULL

static void *need(void *memory)
{
	if (!memory)
		err(2, "memory");
	return memory;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct taken {
	double value;
	size_t when;
};

/* Ties in the order taken, so that the result never depends on qsort. */
static int taken_ascending(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;
	int by_value = ascending(&x->value, &y->value);

	return by_value ? by_value : (x->when > y->when) - (x->when < y->when);
}

void samples_init(struct samples *s, const double *values, size_t n)
{
	struct taken *taken = need(calloc(n + 1, sizeof *taken));

	for (size_t i = 0; i < n; i++)
		taken[i] = (struct taken){ values[i], i };
	qsort(taken, n, sizeof *taken, taken_ascending);
	s->n = n;
	s->sorted = need(calloc(n + 1, sizeof *s->sorted));
	s->rank = need(calloc(n + 1, sizeof *s->rank));
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

double quantile_of(const double *sorted, size_t n, double q)
{
	double at = (double)(n - 1) * q;
	size_t below = (size_t)at;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double deviation_of(const double *sorted, size_t n)
{
	double median = quantile_of(sorted, n, 0.5), deviation;
	double *away = need(calloc(n, sizeof *away));

	for (size_t i = 0; i < n; i++)
		away[i] = fabs(sorted[i] - median);
	qsort(away, n, sizeof *away, ascending);
	deviation = quantile_of(away, n, 0.5);
	free(away);
	return deviation;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)((unsigned __int128)next_random(state) * n >> 64);
}

/* Draws n samples in blocks; how[r] counts how often the sample of rank r was drawn. */
static void draw(const struct samples *s, uint64_t *random, unsigned *how)
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

static double drawn_median(const struct samples *s, uint64_t *random, unsigned *how)
{
	draw(s, random, how);
	return (drawn(s, how, (s->n - 1) / 2) + drawn(s, how, s->n / 2)) / 2;
}

struct interval ratio_interval(const struct samples *a, const struct samples *b)
{
	double ratios[RESAMPLES];
	uint64_t random = SEED;

	if (!a->n || !b->n)
		return (struct interval){ NAN, NAN };
	unsigned *how = need(calloc(a->n > b->n ? a->n : b->n, sizeof *how));
	for (size_t i = 0; i < RESAMPLES; i++) {
		double base = drawn_median(a, &random, how);
		ratios[i] = drawn_median(b, &random, how) / base;
	}
	free(how);
	qsort(ratios, RESAMPLES, sizeof *ratios, ascending);
	return (struct interval){ quantile_of(ratios, RESAMPLES, 0.025),
		quantile_of(ratios, RESAMPLES, 0.975) };
}
