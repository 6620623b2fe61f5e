/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/curve.h"
#include "engine/levels.h"
#include "engine/probe_api.h"
#include "lib/ensure.h"
#include "lib/math.h"
#include "lib/stats.h"

#define SINGLE_OF 8 /* measurements of one x: of more, the outermost one alone decides nothing */

bool is_variant(const struct bench *b, const struct result *r, const char *variant)
{
	return r->row->probe == b->probe && strcmp(r->row->variant, variant) == 0;
}

bool is_level(const struct result *r, enum level level)
{
	return r->row->level && strcmp(r->row->level, level_names[level]) == 0;
}

bool row_mostly_disturbed(const struct result *r)
{
	return !(r->undisturbed > 0) && r->disturbed > r->samples / 2;
}

/* Choose which of several measurements at one x is used, by c->reading. */
static void choose(struct curve *c, unsigned at)
{
	const struct outermost *o = &c->outermost[at];
	unsigned k = c->reading != READ_FLOOR && o->times > SINGLE_OF ? 1 : 0;

	if (c->reading == READ_MEDIAN)
		return;
	c->point[at].y = o->y[k];
	c->from[at] = o->from[k];
}

/*
 * Another measurement of an x; of equals, the first is kept. Their medians are that of the first,
 * unless that one was mostly disturbed and the later one is not.
 */
static void note_again(struct curve *c, unsigned at, double y, const struct result *from)
{
	struct outermost *o = &c->outermost[at];
	bool upper = c->reading == READ_UPPER;
	unsigned k = o->times > 1 ? 2 : 1;

	if (c->reading == READ_MEDIAN && row_mostly_disturbed(c->from[at]) &&
		!row_mostly_disturbed(from)) {
		c->point[at].y = y;
		c->from[at] = from;
	}
	while (k && (upper ? y > o->y[k - 1] : y < o->y[k - 1])) {
		if (k < 2) {
			o->y[k] = o->y[k - 1];
			o->from[k] = o->from[k - 1];
		}
		k--;
	}
	if (k < 2) {
		o->y[k] = y;
		o->from[k] = from;
	}
	o->times++;
	choose(c, at);
}

/* Keeps the points in ascending order of x. */
static void insert(struct curve *c, struct curve_point p, const struct result *from)
{
	unsigned at = c->n;

	while (at && c->point[at - 1].x > p.x)
		at--;
	if (at && c->point[at - 1].x == p.x) {
		note_again(c, at - 1, p.y, from);
		return;
	}
	ensure(c->n < INFER_POINTS);
	memmove(&c->point[at + 1], &c->point[at], (c->n - at) * sizeof *c->point);
	memmove(&c->from[at + 1], &c->from[at], (c->n - at) * sizeof *c->from);
	memmove(&c->outermost[at + 1], &c->outermost[at], (c->n - at) * sizeof *c->outermost);
	c->point[at] = p;
	c->from[at] = from;
	c->outermost[at] = (struct outermost){ .y = { p.y }, .from = { from }, .times = 1 };
	c->n++;
}

static bool picked(const struct bench *b, const struct result *r, const struct pick *p)
{
	return is_variant(b, r, p->variant) && (!p->page_bytes || r->page_bytes == p->page_bytes) &&
		(!p->level || (r->row->level && strcmp(r->row->level, p->level) == 0)) &&
		!(p->no_level && r->row->level) &&
		(!p->only || row_get(r->row, p->only, NOT_A_NUMBER) == p->only_value);
}

static bool by_quartile(const struct result *r, enum reading reading)
{
	return r->has_quartiles && (reading == READ_LOWER || reading == READ_UPPER);
}

double row_cycles(const struct result *r, enum reading reading)
{
	if (by_quartile(r, reading))
		return r->quartile_cycles[reading == READ_UPPER];
	return reading == READ_FLOOR && r->floor_cycles > 0 ? r->floor_cycles : r->cycles;
}

double row_value(const struct result *r, enum reading reading)
{
	if (by_quartile(r, reading))
		return r->quartile[reading == READ_UPPER];
	return reading == READ_FLOOR && r->floor > 0 ? r->floor : r->median;
}

unsigned take_curve(const struct reader *reader, const struct pick *p, struct curve *c)
{
	c->n = 0;
	c->offset = 0;
	c->reading = reader->reading;
	return add_to_curve(reader->bench, p, c);
}

void curve_leave_usable(struct curve *c, const char *x)
{
	unsigned n = infer_usable_costs(c->point, c->n), from = 0;

	for (unsigned i = 0; i < n; i++) {
		while (row_get(c->from[from]->row, x, 0) != c->point[i].x)
			from++;
		c->from[i] = c->from[from];
		c->outermost[i] = c->outermost[from];
	}
	c->n = n;
}

unsigned add_to_curve(const struct bench *b, const struct pick *p, struct curve *c)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		double y = (p->cycles ? row_cycles : row_value)(r, c->reading);

		if (picked(b, r, p) && row_get(r->row, p->x, 0) > 0 && math_finite(y))
			insert(c, (struct curve_point){ row_get(r->row, p->x, 0), y }, r);
	}
	return c->n;
}

static unsigned rows_with_page(const struct bench *b, const char *variant, size_t page_bytes)
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->nresults; i++)
		n += b->results[i].page_bytes == page_bytes &&
			is_variant(b, &b->results[i], variant);
	return n;
}

size_t main_page(const struct bench *b, const char *variant)
{
	static const size_t sizes[] = { PAGE_1G, PAGE_2M, PAGE_4K };
	unsigned most = 0;
	size_t best = 0;

	if (rows_with_page(b, variant, common_page(b)))
		return common_page(b);
	for (unsigned s = 0; s < 3; s++) {
		unsigned n = rows_with_page(b, variant, sizes[s]);

		if (n > most) {
			most = n;
			best = sizes[s];
		}
	}
	return best;
}

double upper_quartile_cycles(const struct curve *c, unsigned first, unsigned last)
{
	double cycles[INFER_POINTS];
	unsigned n = 0;

	for (unsigned i = first; i <= last; i++) {
		cycles[n] = row_cycles(c->from[i], c->reading);
		if (!(cycles[n++] > 0))
			return NOT_A_NUMBER;
	}
	return stats_upper_quartile(cycles, n);
}
