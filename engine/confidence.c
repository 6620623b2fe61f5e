/* SPDX-License-Identifier: MIT */
#include "engine/confidence.h"
#include "engine/probe_api.h"
#include "lib/ensure.h"
#include "lib/math.h"
#include "lib/stats.h"

/* Confidence that a value loses by rows that scatter or were disturbed. */
#define SCATTER_LOSS        3    /* confidence lost per MAD / median */
#define DISTURBED_LOSS      0.5  /* per share of disturbed samples, if the median has them in it */
#define UNDISTURBED_LOSS    0.1  /* where it is over the others only */
#define TAKEN_LOSS          0.75 /* of a time or rate whose median is over disturbed ones */
#define UNSTEADY_LOSS       0.3  /* of a row that drifts or has two modes */
#define PLACEMENT_LOSS      0.5  /* per spread between placements of a row's memory */
#define PLACEMENT_LOSS_MOST 0.5
#define CLOCK_LOSS          2 /* per relative spread of the core clock over a curve's rows */
#define CLOCK_LOSS_MOST     0.5
#define CONFIDENCE_MOST     0.95

double clamp_confidence(double confidence)
{
	return math_clamp(confidence, CONFIDENCE_LEAST, CONFIDENCE_MOST);
}

/* MAD / median, of what a curve's offset of so many core cycles makes of the row. */
static double scatter_of(const struct result *r, double offset)
{
	double most = 1 / (double)SCATTER_LOSS;
	double more = r->core_hz > 0 ? offset / r->core_hz * 1e9 : 0;
	double of = math_abs(r->median) + more;

	return of > 0 ? math_min(r->mad / of, most) : r->mad > 0 ? most : 0;
}

static double loss_with(const struct result *r, double offset)
{
	double share = r->samples > 0 ? r->disturbed / r->samples : 0;
	double disturbed = share * (r->undisturbed > 0 ? UNDISTURBED_LOSS : DISTURBED_LOSS);

	double unsteady = r->unsteady ? UNSTEADY_LOSS : 0;

	double placed = math_min(PLACEMENT_LOSS * r->placement_spread, PLACEMENT_LOSS_MOST);

	return 1 -
		(1 - SCATTER_LOSS * scatter_of(r, offset)) * (1 - disturbed) * (1 - unsteady) *
		(1 - placed);
}

/*
 * Returns the loss of a time whose samples under the median are mostly disturbed: it contains the
 * disturbances even if all samples are alike. They move neither an edge nor a ratio of two such
 * times.
 */
static double taken_loss(const struct result *r)
{
	return row_mostly_disturbed(r) ? TAKEN_LOSS : 0;
}

double row_confidence_loss(const struct result *r)
{
	return 1 - (1 - loss_with(r, 0)) * (1 - taken_loss(r));
}

/* By how much the middle four fifths of n clocks differ, as a part of their median; sorts them. */
static double clock_loss(double *hz, unsigned n)
{
	if (!n)
		return 0;
	stats_sort(hz, n);
	double spread = (stats_quantile(hz, n, 0.9) - stats_quantile(hz, n, 0.1)) /
		stats_quantile(hz, n, 0.5);

	return math_min(CLOCK_LOSS * spread, CLOCK_LOSS_MOST);
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
	c.loss = clock_loss(hz, n); /* it sorts */
	c.low = hz[0];
	c.high = hz[n - 1];
	c.median = stats_quantile(hz, n, 0.5);
	return c;
}

double other_clock_loss(struct bench *b, double hz)
{
	double median = run_clock(b).median;

	return hz > 0 && median > 0
		? math_min(CLOCK_LOSS * math_abs(hz - median) / median, CLOCK_LOSS_MOST)
		: 0;
}

double curve_confidence_loss(const struct curve *c, unsigned first, unsigned last)
{
	double losses[INFER_POINTS], hz[INFER_POINTS], clock;
	unsigned n = 0;

	ensure(first <= last && last < c->n);
	for (unsigned i = first; i <= last; i++)
		if (c->from[i]->core_hz > 0)
			hz[n++] = c->from[i]->core_hz;
	clock = clock_loss(hz, n);
	for (unsigned i = first; i <= last; i++)
		losses[i - first] = loss_with(c->from[i], c->offset);
	return 1 - (1 - stats_median(losses, last - first + 1)) * (1 - clock);
}

struct estimate time_on_curve(struct estimate e, const struct curve *c, unsigned first,
	unsigned last)
{
	double taken[INFER_POINTS], sure;

	for (unsigned i = first; i <= last; i++)
		taken[i - first] = taken_loss(c->from[i]);
	e = less_sure(e, curve_confidence_loss(c, first, last));
	sure = e.confidence * (1 - stats_median(taken, last - first + 1));
	e.confidence = math_max(sure, math_min(e.confidence, CONFIDENCE_LEAST));
	return e;
}

struct estimate less_sure(struct estimate e, double loss)
{
	e.confidence *= 1 - loss;
	return e;
}

#define ONCE_MOST 0.85 /* confidence of a row that was measured at one moment only */

double row_confidence(const struct result *r)
{
	return clamp_confidence(math_min(1 - row_confidence_loss(r), ONCE_MOST));
}

/* Each row once. A row for which there is no place is not measured again. */
static void note(struct edge_rows *e, const struct result *r)
{
	for (unsigned i = 0; e && i < e->n; i++)
		if (e->row[i] == r)
			return;
	if (e && e->n < EDGE_ROWS_MOST)
		e->row[e->n++] = r;
}

/*
 * Notes the row that decides an edge: the bracket of all times begins where the upper reading has
 * it begin, and ends where the other readings have it end.
 */
static void note_edge(struct reader *reader, const struct curve *c, const struct estimate *e)
{
	unsigned low = 0, high = c->n - 1;

	while (low + 1 < c->n && c->point[low + 1].x <= e->low)
		low++;
	while (high && c->point[high - 1].x >= e->high)
		high--;
	note(reader->edges, c->from[reader->reading == READ_UPPER ? low : high]);
}

/*
 * Returns true if disturbances alone may have put a point beyond an edge behind point `low`: they
 * are in most of its samples and in their median, and its least sample is nearer to that point.
 */
static bool beyond_by_disturbance(const struct curve *c, unsigned low, unsigned at)
{
	const struct result *r = c->from[at];
	double y = c->point[at].y, least = r->median > 0 ? y * r->min / r->median : y;

	return row_mostly_disturbed(r) && 2 * least < c->point[low].y + y;
}

/*
 * The edge with its bracket up to the first point beyond it that can be believed. The reader notes
 * those that cannot.
 */
static struct estimate up_to_believed(struct reader *reader, const struct curve *c,
	struct estimate e)
{
	unsigned low = 0, high = 0;

	while (low + 1 < c->n && c->point[low + 1].x <= e.low)
		low++;
	while (high < c->n && c->point[high].x < e.high)
		high++;
	if (high == c->n)
		return e;
	while (beyond_by_disturbance(c, low, high)) {
		note(reader->edges, c->from[high]);
		if (++high == c->n)
			return not_resolved("the rows beyond it were disturbed");
		e.high = c->point[high].x;
	}
	return e;
}

struct estimate edge_of(struct reader *reader, const struct curve *c, struct estimate e)
{
	unsigned first = 0, last = c->n - 1;

	if (!e.reason)
		e = up_to_believed(reader, c, e);
	if (e.reason)
		return e;
	while (first + 1 < c->n && c->point[first + 1].x < e.low)
		first++;
	while (last && c->point[last - 1].x > e.high)
		last--;
	note_edge(reader, c, &e);
	e.edge = true;
	return less_sure(e, curve_confidence_loss(c, first, last));
}

struct estimate plain_estimate(double value, double confidence)
{
	if (!math_finite(value))
		return not_resolved(MEASURED_NO_NUMBER);
	return resolved(value, NOT_A_NUMBER, NOT_A_NUMBER, confidence);
}

#define REMEASURE_LOSS 2 /* per relative difference between two moments */
#define MOMENTS_MOST   (1 + AGAIN_MOVED)

struct estimate row_estimate(struct reader *reader, const char *variant, row_number *number)
{
	const struct bench *b = reader->bench;
	const struct result *first = find_row(b, variant, NULL, 0);
	double value[MOMENTS_MOST], loss[MOMENTS_MOST];
	unsigned n = 0;

	if (!first)
		return not_resolved(NOT_MEASURED);
	for (unsigned i = 0; i < b->nresults && n < MOMENTS_MOST; i++) {
		const struct result *r = &b->results[i];
		double is = number(r, reader->reading);

		if (!is_variant(b, r, variant) || !math_finite(is))
			continue;
		value[n] = is;
		loss[n++] = row_confidence_loss(r);
	}
	note(reader->edges, first);
	if (!n)
		return not_resolved(MEASURED_NO_NUMBER);
	double middle = stats_median(value, n); /* it sorts */
	double differ = value[0] > 0 ? REMEASURE_LOSS * (value[n - 1] / value[0] - 1) : 0;
	double sure = clamp_confidence(1 - stats_median(loss, n)) * (1 - math_min(differ, 1));

	return plain_estimate(middle, clamp_confidence(n > 1 ? sure : math_min(sure, ONCE_MOST)));
}

static double known_cycles(const struct result *r, enum reading reading)
{
	double cycles = row_cycles(r, reading);

	return cycles > 0 ? cycles : NOT_A_NUMBER;
}

struct estimate row_cycles_estimate(struct reader *reader, const char *variant)
{
	return row_estimate(reader, variant, known_cycles);
}
