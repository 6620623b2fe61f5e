/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/stats.h"
#include "report/curve.h"
#include "report/equivalence.h"
#include "report/row_identity.h"

/* From which size on a buffer no longer fits into L2, as measured; INFINITY: not known. */
static double beyond_l2(const struct run_data *run)
{
	const json_t *l2 = run_summary(run, "l2_bytes");
	double bytes = number_of(l2, KEY_VALUE);

	return isnan(bytes) ? INFINITY : number_or(l2, KEY_HIGH, 2 * bytes);
}

/* Whether other guests of a host use what the row measures. */
static bool shared(const struct set *set, const struct pooled *p)
{
	const struct run_data *run = set->runs[0];

	if (!*text_of(run->head, KEY_HYPERVISOR))
		return false;
	return !strcmp(p->row->level, "memory") || !strcmp(p->row->level, "l3") ||
		!strcmp(p->row->level, "l4") ||
		row_parameter(p->row->json, "bytes") >= beyond_l2(run);
}

static double run_noise(const struct set *set, const struct pooled *p)
{
	if (p->nmedians > 1)
		return fmax(p->scatter, NOISE_FLOOR);
	return fmax(curve_scatter(set, p), shared(set, p) ? NOISE_SHARED : NOISE_ASSUMED);
}

static bool among(const struct samples *s, double value)
{
	return s->n && value >= stats_quantile(s->sorted, s->n, 0.05) &&
		value <= stats_quantile(s->sorted, s->n, 0.95);
}

static bool near(double ratio, double noise)
{
	return fabs(log(ratio)) <= noise;
}

/* Whether the slowdown lies between none and that of the clock. */
static bool by_clock(double slower, double clock, double noise)
{
	double low = fmin(0, log(clock)) - noise, high = fmax(0, log(clock)) + noise;

	return slower > 0 && clock > 0 && log(slower) >= low && log(slower) <= high;
}

void noise_judge(struct cell *cell, const struct pooled *base, const struct set *of_base,
	const struct set *of_row)
{
	const struct pooled *row = cell->row;
	double clock = base->core_hz / row->core_hz; /* > 1: the base had the faster clock */
	double of_row_here = cell->scale * row->median, of_base_there = base->median / cell->scale;

	cell->noise = fmax(run_noise(of_base, base), run_noise(of_row, row));
	cell->same = (cell->low <= 1 && cell->high >= 1) || near(cell->ratio, cell->noise) ||
		among(&base->samples, of_row_here) || among(&row->samples, of_base_there);
	cell->clock = !cell->same && !cell->cycles && by_clock(cell->slower, clock, cell->noise);
	cell->edge = !cell->same && !cell->clock && !isnan(cell->ratio) &&
		curve_holds(of_base, base, of_row_here, cell->noise) &&
		curve_holds(of_row, row, of_base_there, cell->noise);
	cell->same |= cell->clock || cell->edge;
}
