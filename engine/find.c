/* SPDX-License-Identifier: MIT */
#include "engine/find.h"

#include <string.h>

#include "engine/levels.h"
#include "lib/math.h"
#include "lib/stats.h"

#define SINGLE_OF 8 /* measurements of one x: of more, the outermost one alone decides nothing */

static void find_once(struct bench *b, unsigned i)
{
	const struct probe *before = b->probe;
	size_t mark = b->work.used;

	if (b->found->searched >> i & 1)
		return;
	b->found->searched |= 1ULL << i;
	b->probe = &probes[i];
	b->probe->find(b);
	b->probe = before;
	b->work.used = mark;
}

static void find_each(struct bench *b)
{
	for (unsigned i = 0; i < probe_count; i++)
		find_once(b, i);
}

bool find_as(struct bench *b, enum reading reading, const struct probe *only,
	struct found_values *into)
{
	struct found_values *before = b->found;

	if (!into)
		return false;
	*into = (struct found_values){ 0 };
	b->found = into;
	b->reading = reading;
	if (only)
		find_once(b, (unsigned)(only - probes));
	else
		find_each(b);
	b->reading = READ_MEDIAN;
	b->found = before;
	return true;
}

/*
 * By the medians of the rows; by their quartiles, which widen the brackets of edges; by their
 * floors, where what they say otherwise is kept beside the value.
 */
void find_all(struct bench *b)
{
	size_t mark = b->work.used;
	struct found_values *lower = row_alloc(b, sizeof *lower);
	struct found_values *upper = row_alloc(b, sizeof *upper);

	find_each(b);
	if (find_as(b, READ_LOWER, NULL, lower) && find_as(b, READ_UPPER, NULL, upper))
		widen_edges(b->found, lower, upper);
	if (find_as(b, READ_FLOOR, NULL, lower))
		keep_floors(b, b->found, lower);
	b->work.used = mark;
}

void run_find(struct bench *b, const char *probe)
{
	for (unsigned i = 0; i < probe_count; i++)
		if (strcmp(probes[i].name, probe) == 0)
			find_once(b, i);
}

bool is_variant(const struct bench *b, const struct result *r, const char *variant)
{
	return r->row->probe == b->probe && strcmp(r->row->variant, variant) == 0;
}

bool is_level(const struct result *r, enum level level)
{
	return r->row->level && strcmp(r->row->level, level_names[level]) == 0;
}

/* Of measurements of one x, the one that counts, as enum reading says. */
static void choose(struct curve *c, unsigned at)
{
	const struct outermost *o = &c->outermost[at];
	unsigned k = c->reading != READ_FLOOR && o->times > SINGLE_OF ? 1 : 0;

	if (c->reading == READ_MEDIAN)
		return;
	c->point[at].y = o->y[k];
	c->from[at] = o->from[k];
}

/* Another measurement of an x; of equals, the first is kept. */
static void note_again(struct curve *c, unsigned at, double y, const struct result *from)
{
	struct outermost *o = &c->outermost[at];
	bool upper = c->reading == READ_UPPER;
	unsigned k = o->times > 1 ? 2 : 1;

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
static void insert(struct curve *c, struct point p, const struct result *from)
{
	unsigned at = c->n;

	while (at && c->point[at - 1].x > p.x)
		at--;
	if (at && c->point[at - 1].x == p.x) {
		note_again(c, at - 1, p.y, from);
		return;
	}
	if (c->n == INFER_POINTS)
		return;
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

static double cycles_as(const struct result *r, enum reading reading)
{
	if (by_quartile(r, reading))
		return r->quartile_cycles[reading == READ_UPPER];
	return reading == READ_FLOOR && r->floor_cycles > 0 ? r->floor_cycles : r->cycles;
}

double row_cycles(const struct bench *b, const struct result *r)
{
	return cycles_as(r, b->reading);
}

double row_value(const struct bench *b, const struct result *r)
{
	if (by_quartile(r, b->reading))
		return r->quartile[b->reading == READ_UPPER];
	return b->reading == READ_FLOOR && r->floor > 0 ? r->floor : r->median;
}

unsigned take_curve(const struct bench *b, const struct pick *p, struct curve *c)
{
	c->n = 0;
	c->offset = 0;
	c->reading = b->reading;
	return add_to_curve(b, p, c);
}

unsigned add_to_curve(const struct bench *b, const struct pick *p, struct curve *c)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		double y = p->cycles ? row_cycles(b, r) : row_value(b, r);

		if (picked(b, r, p) && row_get(r->row, p->x, 0) > 0 && math_finite(y))
			insert(c, (struct point){ row_get(r->row, p->x, 0), y }, r);
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
		cycles[n] = cycles_as(c->from[i], c->reading);
		if (!(cycles[n++] > 0))
			return NOT_A_NUMBER;
	}
	return stats_upper_quartile(cycles, n);
}

struct estimate edge_of(struct bench *b, const struct curve *c, struct estimate e)
{
	unsigned first = 0, last = c->n - 1;

	if (e.reason)
		return e;
	while (first + 1 < c->n && c->point[first + 1].x < e.low)
		first++;
	while (last && c->point[last - 1].x > e.high)
		last--;
	note_edge(b, c, &e);
	e.edge = true;
	return doubted(e, curve_doubt(c, first, last));
}

/* Rows that gave no number are another reason than rows that were not asked for. */
static const char *why_not(const struct bench *b, const char *reason)
{
	bool no_number = b->probe && b->no_number >> (b->probe - probes) & 1;

	return no_number && strcmp(reason, NOT_MEASURED) == 0 ? MEASURED_NO_NUMBER : reason;
}

void found(struct bench *b, const char *name, const char *unit, struct estimate e, double claimed,
	const char *rests_on)
{
	struct found_values *f = b->found;

	if (math_finite(e.value) && too_doubtful(e.confidence))
		e = not_resolved(ROWS_DISAGREE);
	bool bracket = math_finite(e.low) && math_finite(e.high) && math_finite(e.value);

	if (f->n == FOUND_MOST) {
		say(b, "internal error: no place for the value %s\n", name);
		return;
	}
	f->by[f->n] = b->probe;
	f->list[f->n++] = (struct summary){
		.name = name,
		.unit = unit,
		.value = e.value,
		.claimed = claimed,
		.low = bracket ? e.low : 0,
		.high = bracket ? e.high : 0,
		.rise = { e.rise_10, e.rise_50, e.rise_90 },
		.confidence = e.confidence,
		.rests_on = rests_on,
		.reason = math_finite(e.value) ? NULL : why_not(b, e.reason),
		.edge = e.edge && bracket,
	};
}

void found_in_pages(struct bench *b, size_t page_bytes)
{
	if (b->found->n)
		b->found->list[b->found->n - 1].page_bytes = page_bytes;
}

const struct summary *find_value(const struct bench *b, const char *name)
{
	return value_named(b->found, name);
}

struct estimate plain_estimate(double value, double confidence)
{
	if (!math_finite(value))
		return not_resolved(MEASURED_NO_NUMBER);
	return resolved(value, NOT_A_NUMBER, NOT_A_NUMBER, confidence);
}

struct estimate row_estimate(const struct bench *b, const char *variant)
{
	const struct result *r = find_row(b, variant, NULL, 0);

	return r ? plain_estimate(row_value(b, r), row_confidence(r)) : not_resolved(NOT_MEASURED);
}
