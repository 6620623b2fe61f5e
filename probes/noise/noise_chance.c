/* SPDX-License-Identifier: MIT */
#include "probes/noise/noise_chance.h"

#include "lib/math.h"

double noise_expected_overlaps(const struct gap_monitor *m)
{
	double sum = 0;

	for (unsigned i = 0; i < m->n; i++)
		for (unsigned k = 0; k < m->n; k++)
			if (i != k && m->cpus[k].observed_ticks > 0)
				sum += (double)m->cpus[i].gaps * m->cpus[k].gap_ticks /
					m->cpus[k].observed_ticks;
	return sum;
}

/*
 * P(X >= n) is at most P(X = n) / (1 - expected / (n + 1)): beyond n each probability is less than
 * that part of the one before.
 */
bool noise_beyond_chance(double expected, double count)
{
	double log_p = -expected;

	if (!(count > expected))
		return false;
	if (!(expected > 0))
		return true;
	for (double i = 1; i <= count; i++)
		log_p += math_log(expected / i);
	return log_p - math_log(1 - expected / (count + 1)) < math_log(NOISE_CHANCE);
}
