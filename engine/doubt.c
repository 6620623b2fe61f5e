/* SPDX-License-Identifier: MIT */
/* What rows that scatter or were disturbed take from the confidence of what rests on them. */
#include "engine/find.h"
#include "lib/math.h"
#include "lib/stats.h"

#define SCATTER_DOUBT        3   /* confidence lost per MAD / median */
#define DISTURBED_DOUBT      0.5 /* per share of disturbed samples, if the median has them in it */
#define UNDISTURBED_DOUBT    0.1 /* where it is over the others only */
#define UNSTEADY_DOUBT       0.3 /* of a row that drifts or has two modes */
#define PLACEMENT_DOUBT      0.5 /* per spread between placements of a row's memory */
#define PLACEMENT_DOUBT_MOST 0.5
#define CLOCK_DOUBT          2 /* per relative spread of the core clock over a curve's rows */
#define CLOCK_DOUBT_MOST     0.5
#define CONFIDENCE_LEAST     0.1
#define CONFIDENCE_MOST      0.95

double clamp_confidence(double confidence)
{
	return math_clamp(confidence, CONFIDENCE_LEAST, CONFIDENCE_MOST);
}

bool too_doubtful(double confidence)
{
	return confidence < CONFIDENCE_LEAST;
}

/* MAD / median, of what a curve's offset of so many core cycles makes of the row. */
static double scatter_of(const struct result *r, double offset)
{
	double most = 1 / (double)SCATTER_DOUBT;
	double more = r->core_hz > 0 ? offset / r->core_hz * 1e9 : 0;
	double of = math_abs(r->median) + more;

	return of > 0 ? math_min(r->mad / of, most) : r->mad > 0 ? most : 0;
}

static double doubt_with(const struct result *r, double offset)
{
	double share = r->samples > 0 ? r->disturbed / r->samples : 0;
	double disturbed = share * (r->undisturbed > 0 ? UNDISTURBED_DOUBT : DISTURBED_DOUBT);

	double unsteady = r->unsteady ? UNSTEADY_DOUBT : 0;

	double placed = math_min(PLACEMENT_DOUBT * r->placement_spread, PLACEMENT_DOUBT_MOST);

	return 1 -
		(1 - SCATTER_DOUBT * scatter_of(r, offset)) * (1 - disturbed) * (1 - unsteady) *
		(1 - placed);
}

double row_doubt(const struct result *r)
{
	return doubt_with(r, 0);
}

/* By how much the middle four fifths of n clocks differ, as a part of their median; sorts them. */
static double clock_doubt(double *hz, unsigned n)
{
	if (!n)
		return 0;
	stats_sort(hz, n);
	double spread = (stats_quantile(hz, n, 0.9) - stats_quantile(hz, n, 0.1)) /
		stats_quantile(hz, n, 0.5);

	return math_min(CLOCK_DOUBT * spread, CLOCK_DOUBT_MOST);
}

struct run_clock run_clock(struct bench *b)
{
	size_t mark = b->work.used;
	double *hz = row_alloc(b, b->nresults * sizeof *hz);
	struct run_clock c = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; hz && i < b->nresults; i++)
		if (b->results[i].core_hz > 0)
			hz[n++] = b->results[i].core_hz;
	b->work.used = mark;
	if (!n)
		return c;
	c.doubt = clock_doubt(hz, n); /* it sorts */
	c.low = hz[0];
	c.high = hz[n - 1];
	c.median = stats_quantile(hz, n, 0.5);
	return c;
}

double other_clock_doubt(struct bench *b, double hz)
{
	double median = run_clock(b).median;

	return hz > 0 && median > 0
		? math_min(CLOCK_DOUBT * math_abs(hz - median) / median, CLOCK_DOUBT_MOST)
		: 0;
}

double curve_doubt(const struct curve *c, unsigned first, unsigned last)
{
	double doubts[INFER_POINTS], hz[INFER_POINTS], clock;
	unsigned n = 0;

	for (unsigned i = first; i <= last; i++)
		if (c->from[i]->core_hz > 0)
			hz[n++] = c->from[i]->core_hz;
	clock = clock_doubt(hz, n);
	for (unsigned i = first; i <= last; i++)
		doubts[i - first] = doubt_with(c->from[i], c->offset);
	return 1 - (1 - stats_median(doubts, last - first + 1)) * (1 - clock);
}

struct estimate doubted(struct estimate e, double doubt)
{
	e.confidence *= 1 - doubt;
	return e;
}

double row_confidence(const struct result *r)
{
	return clamp_confidence(1 - row_doubt(r));
}
