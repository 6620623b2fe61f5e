/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "report/noise.h"

static double run_noise(const struct pooled *p)
{
	return p->nmedians > 1 ? fmax(p->scatter, NOISE_FLOOR) : NOISE_ASSUMED;
}

static bool among(const struct samples *s, double value)
{
	return s->n && value >= quantile_of(s->sorted, s->n, 0.05) &&
	       value <= quantile_of(s->sorted, s->n, 0.95);
}

static bool near(double ratio, double noise)
{
	return fabs(log(ratio)) <= noise;
}

/* Whether the slowdown lies between none and that of the clock. */
static bool by_clock(double slower, double clock, double noise)
{
	double low = fmin(0, log(clock)) - noise, high = fmax(0, log(clock)) + noise;

	return log(slower) >= low && log(slower) <= high;
}

void noise_judge(struct cell *cell, const struct pooled *base)
{
	const struct pooled *row = cell->row;
	double clock = base->core_hz / row->core_hz; /* > 1: the base had the faster clock */

	cell->noise = fmax(run_noise(base), run_noise(row));
	cell->same = (cell->low <= 1 && cell->high >= 1) || near(cell->ratio, cell->noise) ||
		     among(&base->samples, row->median) || among(&row->samples, base->median);
	if (cell->same || !(cell->slower > 0) || !(clock > 0))
		return;
	cell->clock = by_clock(cell->slower, clock, cell->noise);
	cell->same = cell->clock;
}
