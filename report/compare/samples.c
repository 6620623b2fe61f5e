/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "lib/math.h"
#include "lib/stats.h"
#include "report/allocate.h"
#include "report/compare/samples.h"

#define RESAMPLES 200 /* the error of a standard error from so many is 5 % */
#define SEED      1

#define MEDIAN_OVER_MEAN 1.2533 /* a median's standard error over a mean's, normal: sqrt(pi / 2) */

/* Draws n samples in blocks, the first one following the last. */
static void draw(const double *values, size_t n, struct random *random, double *out)
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
		draw(values, n, &random, drawn);
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
