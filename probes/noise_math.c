/* SPDX-License-Identifier: MIT */
#include "probes/noise.h"

static void swap(struct kept *a, struct kept *b)
{
	struct kept kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_up(struct kept *heap, unsigned at)
{
	while (at && heap[(at - 1) / 2].length_ns > heap[at].length_ns) {
		swap(&heap[at], &heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct kept *heap, unsigned n)
{
	for (unsigned at = 0, child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && heap[child + 1].length_ns < heap[child].length_ns)
			child++;
		if (heap[at].length_ns <= heap[child].length_ns)
			return;
		swap(&heap[at], &heap[child]);
	}
}

void longest_add(struct longest *l, const struct kept *gap)
{
	if (l->n < l->capacity) {
		l->gaps[l->n] = *gap;
		sift_up(l->gaps, l->n++);
	} else if (gap->length_ns > l->gaps[0].length_ns) {
		l->gaps[0] = *gap;
		sift_down(l->gaps, l->n);
	}
}

double noise_deviation(const double *values, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? __builtin_sqrt(sum / (double)(n - 1)) : 0;
}

double noise_skew(const double *values, size_t n, double mean)
{
	double second = 0, third = 0;

	for (size_t i = 0; i < n; i++) {
		double off = values[i] - mean;

		second += off * off;
		third += off * off * off;
	}
	second /= (double)n;
	third /= (double)n;
	return second > 0 ? third / (second * __builtin_sqrt(second)) : 0;
}
