/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/stats.h"
#include "report/compare/set_clock.h"
#include "report/reading/row_identity.h"
#include "report/compare/units.h"

/* Probes of which every row is paced by the core, and those that are as far as they fit into L2. */
static const char always[] = "branch,ilp,tlb,ways";
static const char by_size[] = "latency,mlp,bandwidth,random,shuffle";

struct set_clock set_clock_of(const struct set *set)
{
	double *hz = new_array(set->nrows + set->nruns + 1, sizeof *hz);
	struct set_clock clock = { NAN, NAN, NAN };
	size_t n = 0;

	for (size_t i = 0; i < set->nrows; i++)
		if (set->rows[i].core_hz > 0)
			hz[n++] = set->rows[i].core_hz;
	for (size_t i = 0; !n && i < set->nruns; i++) {
		double measured = number_of(set->runs[i]->head, KEY_CORE_HZ);
		if (measured > 0)
			hz[n++] = measured;
	}
	for (size_t i = 0; i < n; i++) {
		clock.low = fmin(clock.low, hz[i]);
		clock.high = fmax(clock.high, hz[i]);
	}
	if (n)
		clock.median = stats_median(hz, n);
	free(hz);
	return clock;
}

bool clocks_differ(const struct set_clock *a, const struct set_clock *b)
{
	return fabs(a->median - b->median) > CLOCKS_ALIKE * fmin(a->median, b->median);
}

/* Up to which size a buffer fits into L2, as measured; 0: not known. */
static double within_l2(const struct run_data *run)
{
	const json_t *l2 = run_summary(run, "l2_bytes");

	return number_or(l2, KEY_LOW, number_or(l2, KEY_VALUE, 0));
}

bool core_paced(const struct set *set, const struct pooled *p)
{
	if (names_have(always, p->row->probe))
		return true;
	if (!names_have(by_size, p->row->probe))
		return false;
	if (*p->row->level)
		return !strcmp(p->row->level, "l1") || !strcmp(p->row->level, "l2");
	return row_parameter(p->row->json, "bytes") <= within_l2(set->runs[0]);
}

void cycle_unit(const char *unit, char out[24])
{
	*out = 0;
	if (!strcmp(unit, "GB/s"))
		strcpy(out, "B/cy");
	else if (!strncmp(unit, "ns", 2) && unit_better(unit) == BETTER_LOW)
		snprintf(out, 24, "cy%s", unit + 2);
}

double in_cycles(const char *unit, double value, double hz)
{
	return strcmp(unit, "GB/s") ? value * hz / 1e9 : value * 1e9 / hz;
}

bool both_core_paced(const struct set *of_a, const struct pooled *a, const struct set *of_b,
	const struct pooled *b)
{
	char in_unit[24];

	cycle_unit(a->row->unit, in_unit);
	return *in_unit && a->core_hz > 0 && b->core_hz > 0 && core_paced(of_a, a) &&
		core_paced(of_b, b);
}
