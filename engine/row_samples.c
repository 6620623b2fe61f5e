/* SPDX-License-Identifier: MIT */
#include "engine/row_samples.h"

#include "lib/math.h"
#include "lib/stats.h"

#define UNDISTURBED_FEWEST 7
#define UNDISTURBED_LEAST  0.25
#define SPREAD_TARGET      0.005

void samples_choose(struct samples *s, bool all)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n && !all; i++)
		if (!s->flagged[i])
			s->chosen[n++] = i;
	if (all || n < UNDISTURBED_FEWEST || n < UNDISTURBED_LEAST * s->n)
		for (n = 0; n < s->n; n++)
			s->chosen[n] = n;
	s->nchosen = n;
}

static struct stats chosen_stats(struct samples *s)
{
	for (unsigned i = 0; i < s->nchosen; i++)
		s->scratch[0][i] = s->values[s->chosen[i]];
	return stats_of(s->scratch[0], s->nchosen, s->scratch[1]);
}

bool samples_settled(struct samples *s)
{
	struct stats st = chosen_stats(s);

	return stats_spread(&st) <= SPREAD_TARGET;
}

/* Cycles per operation make sense where the unit is a time per operation: of 1 of it, at 1 Hz. */
static double cycles_per_unit(const struct row *row, double tsc_hz)
{
	switch (row->unit->scale) {
	case SCALE_NS:
		return 1e-9;
	case SCALE_TICKS:
		return 1 / tsc_hz;
	default:
		return 0;
	}
}

/* Each sample by the clock around it: the clock may move between them. */
static void set_cycles(struct samples *s, double per_unit, struct result *r)
{
	for (unsigned i = 0; i < s->nchosen; i++) {
		unsigned at = s->chosen[i];

		s->scratch[0][i] = s->core_hz[at];
		s->scratch[1][i] = s->values[at] * s->core_hz[at] * per_unit;
	}
	r->core_hz = stats_median(s->scratch[0], s->nchosen);
	r->cycles = stats_median(s->scratch[1], s->nchosen);
}

void samples_summarise(struct samples *s, double tsc_hz, struct result *r)
{
	struct stats all = stats_of(s->values, s->n, s->scratch[0]), st = chosen_stats(s);

	r->samples = s->n;
	r->min = all.min;
	r->p90 = all.p90;
	r->p99 = all.p99;
	r->max = all.max;
	r->mean = all.mean;
	r->outliers = (double)all.outliers;
	r->p10 = st.p10;
	r->median = st.median;
	r->mad = st.mad;
	for (unsigned i = 0; i < s->n; i++)
		r->disturbed += s->flagged[i];
	r->undisturbed = s->nchosen < s->n ? s->nchosen : 0;
	set_cycles(s, cycles_per_unit(r->row, tsc_hz), r);
}
