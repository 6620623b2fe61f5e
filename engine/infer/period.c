/* SPDX-License-Identifier: MIT */
/*
 * The period of what happens again and again: probes/smm/README.md. An interval is a whole number
 * of periods where some were not seen; one that is none is an event out of turn.
 */
#include "engine/infer/infer.h"
#include "lib/math.h"
#include "lib/stats.h"

#define INTERVALS_LEAST 8
#define TWO_FROM        1.5    /* of the lower quartile: longer intervals are of several periods */
#define ALIKE           0.0625 /* of a period: an interval is so near to a whole number of them */
#define IN_TURN         0.9    /* of the intervals, at least */
#define ROUNDS          4
#define SIGMAS          3
#define SURE            0.95 /* of a period of which all intervals are in turn */
#define CLOCK_PART      1e-5 /* of a period, that its clock and ours may differ by at least */

/* Whole periods in an interval, 0: it is out of turn. */
static double whole_periods(double interval, double period)
{
	double whole = period > 0 ? (double)((uint64_t)(2 * interval / period + 1) / 2) : 0;

	return math_abs(interval - whole * period) <= ALIKE * period ? whole : 0;
}

/*
 * Many intervals may be of several periods, few are of less than one: the guess is the median of
 * those that are no longer than one. Each round takes the mean period of the intervals that are in
 * turn by the last one's: the longest intervals need it most exactly.
 */
struct estimate infer_period(const double *at, unsigned n, double *scratch)
{
	double period, in_turn = 0, doubt = 0;
	unsigned ones = 0;

	if (n < INTERVALS_LEAST + 1)
		return not_resolved("too few for a period");
	for (unsigned i = 1; i < n; i++)
		scratch[i - 1] = at[i] - at[i - 1];
	stats_sort(scratch, n - 1);
	period = scratch[(n - 1) / 4];
	while (ones < n - 1 && scratch[ones] < TWO_FROM * period)
		ones++;
	period = scratch[ones / 2];
	for (unsigned round = 0; round < ROUNDS; round++) {
		double sum = 0, periods = 0, squares = 0;

		in_turn = 0;
		for (unsigned i = 1; i < n; i++) {
			double interval = at[i] - at[i - 1],
			       whole = whole_periods(interval, period);
			double off = interval - whole * period;

			if (whole > 0) {
				in_turn++;
				sum += interval;
				periods += whole;
				squares += off * off;
			}
		}
		if (!(in_turn >= IN_TURN * (n - 1)))
			return not_resolved("irregular: no period");
		period = sum / periods;
		doubt = SIGMAS * __builtin_sqrt(squares) / in_turn;
	}
	doubt = math_max(doubt, CLOCK_PART * period);
	return resolved(period, period - doubt, period + doubt, SURE * in_turn / (n - 1));
}
