/* SPDX-License-Identifier: MIT */
#include "lib/stats.h"

/* Heap sort: in place, no recursion, the same cost for any order. */
static void sift(double *v, size_t root, size_t n)
{
	double x = v[root];

	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && v[child + 1] > v[child])
			child++;
		if (v[child] <= x)
			break;
		v[root] = v[child];
	}
	v[root] = x;
}

void stats_sort(double *v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(v, i, n);
	while (n > 1) {
		double largest = v[0];

		v[0] = v[--n];
		v[n] = largest;
		sift(v, 0, n);
	}
}

double stats_quantile(const double *sorted, size_t n, double q)
{
	double place = q * (double)(n - 1);
	size_t below = (size_t)place;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_median(double *values, size_t n)
{
	stats_sort(values, n);
	return stats_quantile(values, n, 0.5);
}

double stats_upper_quartile(double *values, size_t n)
{
	stats_sort(values, n);
	return values[(3 * n - 1) / 4];
}

static size_t count_outside(const double *v, size_t n, double low, double high)
{
	size_t outside = 0;

	for (size_t i = 0; i < n; i++)
		outside += v[i] < low || v[i] > high;
	return outside;
}

struct stats stats_of(const double *values, size_t n, double *scratch)
{
	struct stats s = { .n = n };
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		scratch[i] = values[i];
		sum += values[i];
	}
	stats_sort(scratch, n);
	s.mean = sum / (double)n;
	s.min = scratch[0];
	s.max = scratch[n - 1];
	s.p10 = stats_quantile(scratch, n, 0.1);
	s.median = stats_quantile(scratch, n, 0.5);
	s.p90 = stats_quantile(scratch, n, 0.9);
	s.p99 = stats_quantile(scratch, n, 0.99);
	double q1 = stats_quantile(scratch, n, 0.25), q3 = stats_quantile(scratch, n, 0.75);
	s.iqr = q3 - q1;
	s.outliers = count_outside(scratch, n, q1 - 1.5 * s.iqr, q3 + 1.5 * s.iqr);
	for (size_t i = 0; i < n; i++)
		scratch[i] = values[i] < s.median ? s.median - values[i] : values[i] - s.median;
	s.mad = stats_median(scratch, n);
	return s;
}

double stats_spread(const struct stats *s)
{
	if (s->median == 0)
		return 0;
	return 1.57 * s->iqr / __builtin_sqrt((double)s->n) / s->median;
}
