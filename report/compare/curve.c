/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"
#include "report/compare/curve.h"
#include "report/reading/row_identity.h"

/* Parameters that are swept in steps of a grid; the others are choices (width, page size). */
static const char *const swept[] = { "bytes", "depth", "elements", "instructions", "lanes", "pages",
	"stride_bytes", "targets", "ways" };

#define SWEPT (sizeof swept / sizeof *swept)

#define STEP_MOST 2.2 /* between neighbours: an octave, with sizes rounded; farther is no curve */
#define NEAREST   7   /* points looked at, the row in their middle where the curve goes on */
#define BENDS     5   /* of them, at least */

/*
 * From the median of the bends to the difference that 95 % of repetitions keep to, if each point
 * has an error of its own with deviation s: a bend has s sqrt(1.5), the median of its size is
 * 0.6745 of that, and two points differ by less than 1.96 s sqrt(2).
 */
#define BEND_TO_DIFFERENCE (1.96 * 1.4142 / (0.6745 * 1.2247))

struct point {
	double x, y;
};

struct curve {
	struct point *point;
	size_t n, at; /* at: the row itself */
};

static bool same_kind(const struct row_data *a, const struct row_data *b)
{
	return !strcmp(a->probe, b->probe) && !strcmp(a->variant, b->variant) &&
		!strcmp(a->unit, b->unit);
}

/* Whether two rows of one kind are the same measurement but for one parameter. */
static bool same_but_for(const struct row_data *a, const struct row_data *b, const char *but)
{
	struct parameter p[PARAMETERS_MOST], q[PARAMETERS_MOST];
	size_t n = row_parameters(a->json, p);

	if (row_parameters(b->json, q) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(p[i].name, q[i].name) ||
			(p[i].value != q[i].value && strcmp(p[i].name, but)))
			return false;
	return true;
}

static int ascending(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* The curve over one parameter on which the row lies; n is 0 where the row does not have it. */
static struct curve curve_of(const struct set *set, const struct pooled *row, const char *by)
{
	struct curve c = { new_array(set->nrows, sizeof *c.point), 0, 0 };
	double x = row_parameter(row->row->json, by);

	for (size_t i = 0; x > 0 && i < set->nrows; i++) {
		const struct pooled *other = &set->rows[i];
		if (!same_kind(row->row, other->row))
			continue;
		double there = row_parameter(other->row->json, by);
		if (there > 0 && other->median > 0 && same_but_for(row->row, other->row, by))
			c.point[c.n++] = (struct point){ there, other->median };
	}
	qsort(c.point, c.n, sizeof *c.point, ascending);
	while (c.at < c.n && c.point[c.at].x != x)
		c.at++;
	return c;
}

/* How far a point lies off the straight line between its neighbours, in logarithms; NAN: none. */
static double bend(const struct curve *c, size_t at)
{
	if (at == 0 || at + 1 >= c->n)
		return NAN;
	const struct point *a = &c->point[at - 1], *b = a + 1, *d = b + 1;
	if (b->x / a->x > STEP_MOST || d->x / b->x > STEP_MOST)
		return NAN;
	double part = log(b->x / a->x) / log(d->x / a->x);

	return fabs(log(b->y / a->y) - part * log(d->y / a->y));
}

static bool between(const struct curve *c, double value, double noise)
{
	const struct point *p = &c->point[c->at];
	double low = fmin(p->y, fmin(p[-1].y, p[1].y)), high = fmax(p->y, fmax(p[-1].y, p[1].y));

	return value >= low * exp(-noise) && value <= high * exp(noise);
}

bool curve_holds(const struct set *set, const struct pooled *row, double value, double noise)
{
	bool holds = false;

	for (size_t i = 0; i < SWEPT && !holds; i++) {
		struct curve c = curve_of(set, row, swept[i]);
		holds = bend(&c, c.at) > noise && between(&c, value, noise);
		free(c.point);
	}
	return holds;
}

static double scatter_of(const struct curve *c)
{
	double bends[NEAREST];
	size_t n = 0, from = c->at > NEAREST / 2 ? c->at - NEAREST / 2 : 0;

	if (from + NEAREST > c->n)
		from = c->n > NEAREST ? c->n - NEAREST : 0;
	for (size_t i = from; i < from + NEAREST && i < c->n; i++)
		if (!isnan(bend(c, i)))
			bends[n++] = bend(c, i);
	if (n < BENDS)
		return 0;
	return stats_median(bends, n) * BEND_TO_DIFFERENCE;
}

double curve_scatter(const struct set *set, const struct pooled *row)
{
	double most = 0;

	for (size_t i = 0; i < SWEPT; i++) {
		struct curve c = curve_of(set, row, swept[i]);
		most = fmax(most, scatter_of(&c));
		free(c.point);
	}
	return most;
}
