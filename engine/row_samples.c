/* SPDX-License-Identifier: MIT */
#include "engine/row_samples.h"

#include "lib/math.h"
#include "lib/stats.h"

#define UNDISTURBED_FEWEST 7
#define UNDISTURBED_LEAST  0.25
#define SPREAD_TARGET      0.005
#define FLOOR_PART         0.1
#define PERCENTILE_SAMPLES 100
#define STEADY_SAMPLES     14
#define UNSTEADY_LEAST     0.01
#define UNSTEADY_STEPS     4
#define MODE_SHARE         0.2
#define MODES_APART        5
#define DRIFT_ERRORS       4
#define MEDIAN_TO_MEAN     1.2533
#define ALIKE_MOST         0.98

void samples_choose(struct samples *s, bool all)
{
	unsigned n = 0, of = s->n - s->from;

	for (unsigned i = s->from; i < s->n && !all; i++)
		if (!s->flagged[i])
			s->chosen[n++] = i;
	if (all || n < UNDISTURBED_FEWEST || n < UNDISTURBED_LEAST * of)
		for (n = 0; n < of; n++)
			s->chosen[n] = s->from + n;
	s->nchosen = n;
}

static struct stats chosen_stats(struct samples *s)
{
	for (unsigned i = 0; i < s->nchosen; i++)
		s->scratch[0][i] = s->values[s->chosen[i]];
	return stats_of(s->scratch[0], s->nchosen, s->scratch[1]);
}

double samples_median(struct samples *s, bool all)
{
	samples_choose(s, all);
	return chosen_stats(s).median;
}

/* Whether two parts of the samples differ by more than scatter of no consequence. */
static bool apart(const struct samples *s, double a, double b)
{
	double away = math_abs(a - b);

	return away > UNSTEADY_LEAST * math_abs(a + b) / 2 && away > UNSTEADY_STEPS * s->step;
}

/* The place of the widest gap between neighbours among sorted values that leaves MODE_SHARE. */
static unsigned widest_gap(const double *v, unsigned n)
{
	unsigned least = (unsigned)(MODE_SHARE * n + 1), at = least;

	for (unsigned i = least; i + least <= n; i++)
		if (v[i] - v[i - 1] > v[at] - v[at - 1])
			at = i;
	return at;
}

/*
 * Whether the samples split into two groups that are cleanly separated: the distance of their
 * middles over the scatter within them (Ashman, Bird and Zepf 1994, their D > 2 made stricter,
 * since the split is the best of many).
 */
static bool two_modes(struct samples *s)
{
	unsigned n = s->nchosen, at;
	struct stats low, high;
	double *v = s->scratch[0];

	for (unsigned i = 0; i < n; i++)
		v[i] = s->values[s->chosen[i]];
	stats_sort(v, n);
	at = widest_gap(v, n);
	if (v[at] == v[at - 1]) /* no gap: fewer than a mode's share are beside the others */
		return false;
	low = stats_of(v, at, s->scratch[1]);
	high = stats_of(v + at, n - at, s->scratch[1]);
	double within =
		MAD_TO_SIGMA * __builtin_sqrt((low.mad * low.mad + high.mad * high.mad) / 2);

	return apart(s, low.median, high.median) && high.median - low.median > MODES_APART * within;
}

/* Whether the medians of the first and the last half differ by more than their standard errors. */
static bool drifts(struct samples *s)
{
	unsigned half = s->nchosen / 2;
	struct stats part[2];

	for (unsigned p = 0; p < 2; p++) {
		for (unsigned i = 0; i < half; i++)
			s->scratch[0][i] = s->values[s->chosen[p ? s->nchosen - half + i : i]];
		part[p] = stats_of(s->scratch[0], half, s->scratch[1]);
	}
	double sigma = MAD_TO_SIGMA *
		__builtin_sqrt(part[0].mad * part[0].mad + part[1].mad * part[1].mad);

	return apart(s, part[0].median, part[1].median) &&
		math_abs(part[0].median - part[1].median) >
		DRIFT_ERRORS * MEDIAN_TO_MEAN * sigma / __builtin_sqrt(half);
}

const char *samples_unsteady(struct samples *s)
{
	if (s->nchosen < STEADY_SAMPLES)
		return NULL;
	if (two_modes(s))
		return "two-modes";
	return drifts(s) ? "drift" : NULL;
}

/*
 * The samples above and below the median in the order taken: how much rarer they change sides than
 * by chance (the runs test, Wald and Wolfowitz 1940) is their serial correlation r, and n samples
 * with it count as n (1 - r) / (1 + r) (Bayley and Hammersley 1946).
 */
double samples_effective(struct samples *s)
{
	double median = chosen_stats(s).median, above = 0, below = 0, changes = 0, r;
	int before = 0;

	for (unsigned i = 0; i < s->nchosen; i++) {
		double away = s->values[s->chosen[i]] - median;
		int side = (away > 0) - (away < 0);

		if (!side)
			continue;
		above += side > 0;
		below += side < 0;
		changes += before && side != before;
		before = side;
	}
	if (above + below < STEADY_SAMPLES)
		return s->nchosen;
	r = math_clamp(1 - changes * (above + below) / (2 * above * below), 0, ALIKE_MOST);
	return s->nchosen * (1 - r) / (1 + r);
}

/*
 * Whether disturbed samples are in the median only because it is too early: with so many samples,
 * a quarter of them undisturbed would have been enough.
 */
static bool may_clear(const struct samples *s)
{
	unsigned of = s->n - s->from;
	bool any = false;

	for (unsigned i = s->from; i < s->n; i++)
		any |= s->flagged[i];
	return any && s->nchosen == of && of < UNDISTURBED_FEWEST / UNDISTURBED_LEAST;
}

bool samples_settled(struct samples *s)
{
	double effective = samples_effective(s);
	struct stats st = chosen_stats(s);

	return stats_spread(&st) * __builtin_sqrt(st.n / effective) <= SPREAD_TARGET &&
		!may_clear(s) && !samples_unsteady(s);
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

/* The end of the sorted samples at which the machine is left alone: the fast one. */
static double fast_end(const struct row *row, const double *sorted, size_t n)
{
	bool rate = row->unit->scale == SCALE_GBS || row->unit->scale == SCALE_RATE;

	return stats_quantile(sorted, n, rate ? 1 - FLOOR_PART : FLOOR_PART);
}

/*
 * What the quietest tenth of the chosen samples shows, in the row's unit or in core cycles. Of a
 * difference: the difference of the floors, for a sample is also small where its control was
 * disturbed.
 */
static double floor_of(struct samples *s, const struct row *row, bool cycles, double per_unit)
{
	double end[2];

	for (unsigned part = 0; part < 2; part++) {
		for (unsigned i = 0; i < s->nchosen; i++) {
			unsigned at = s->chosen[i];
			double sum = s->control[at] + (part ? 0 : s->values[at]);

			s->scratch[0][i] = sum * (cycles ? s->core_hz[at] * per_unit : 1);
		}
		stats_sort(s->scratch[0], s->nchosen);
		end[part] = fast_end(row, s->scratch[0], s->nchosen);
	}
	return end[0] - end[1];
}

static void set_quartiles(const double *sorted, size_t n, double out[2])
{
	out[0] = stats_quantile(sorted, n, 0.25);
	out[1] = stats_quantile(sorted, n, 0.75);
}

/* Each sample by the clock around it: the clock may move between them. */
static void set_cycles_and_parts(struct samples *s, double per_unit, struct result *r)
{
	for (unsigned i = 0; i < s->nchosen; i++) {
		unsigned at = s->chosen[i];

		s->scratch[0][i] = s->core_hz[at];
		s->scratch[1][i] = s->values[at] * s->core_hz[at] * per_unit;
	}
	r->core_hz = stats_median(s->scratch[0], s->nchosen);
	r->cycles = stats_median(s->scratch[1], s->nchosen);
	set_quartiles(s->scratch[1], s->nchosen, r->quartile_cycles);
	for (unsigned i = 0; i < s->nchosen; i++)
		s->scratch[0][i] = s->values[s->chosen[i]];
	stats_sort(s->scratch[0], s->nchosen);
	set_quartiles(s->scratch[0], s->nchosen, r->quartile);
	r->has_quartiles = true;
	r->floor = floor_of(s, r->row, false, per_unit);
	r->floor_cycles = floor_of(s, r->row, true, per_unit);
}

void samples_summarise(struct samples *s, double tsc_hz, struct result *r)
{
	struct stats all = stats_of(s->values, s->n, s->scratch[0]), st = chosen_stats(s);

	r->samples = s->n;
	r->min = all.min;
	r->p90 = all.p90;
	r->p99 = s->n >= PERCENTILE_SAMPLES ? all.p99 : NOT_A_NUMBER;
	r->max = all.max;
	r->mean = all.mean;
	r->outliers = (double)all.outliers;
	r->p10 = st.p10;
	r->median = st.median;
	r->mad = st.mad;
	for (unsigned i = 0; i < s->n; i++)
		r->disturbed += s->flagged[i];
	r->undisturbed = s->nchosen < s->n ? s->nchosen : 0;
	set_cycles_and_parts(s, cycles_per_unit(r->row, tsc_hz), r);
}
