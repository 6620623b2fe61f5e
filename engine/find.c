/* SPDX-License-Identifier: MIT */
#include "engine/find.h"

#include <string.h>

#include "lib/math.h"

bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

bool belongs(const struct result *r, const char *probe, const char *variant)
{
	return same(r->row->probe->name, probe) && same(r->row->variant, variant);
}

/* Keeps the points in ascending order of x; of two rows at one x the first stays. */
static void insert(struct curve *c, struct point p, const struct result *from)
{
	unsigned at = c->n;

	if (c->n == INFER_POINTS)
		return;
	while (at && c->point[at - 1].x > p.x)
		at--;
	if (at && c->point[at - 1].x == p.x)
		return;
	memmove(&c->point[at + 1], &c->point[at], (c->n - at) * sizeof *c->point);
	memmove(&c->from[at + 1], &c->from[at], (c->n - at) * sizeof *c->from);
	c->point[at] = p;
	c->from[at] = from;
	c->n++;
}

static bool picked(const struct result *r, const struct pick *p)
{
	return belongs(r, p->probe, p->variant) &&
		(!p->page_bytes || r->page_bytes == p->page_bytes) &&
		(!p->place || (r->row->level && same(r->row->level, p->place))) &&
		(!p->where || row_get(r->row, p->where, NOT_A_NUMBER) == p->is);
}

unsigned take_curve(const struct bench *b, const struct pick *p, struct curve *c)
{
	c->n = 0;
	return add_to_curve(b, p, c);
}

unsigned add_to_curve(const struct bench *b, const struct pick *p, struct curve *c)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		double y = p->cycles ? r->cycles : r->median;

		if (picked(r, p) && row_get(r->row, p->x, 0) > 0 && math_finite(y))
			insert(c, (struct point){ row_get(r->row, p->x, 0), y }, r);
	}
	return c->n;
}

size_t main_page(const struct bench *b, const char *probe, const char *variant)
{
	static const size_t sizes[] = { PAGE_1G, PAGE_2M, PAGE_4K };
	unsigned most = 0;
	size_t best = 0;

	for (unsigned s = 0; s < 3; s++) {
		unsigned n = 0;

		for (unsigned i = 0; i < b->nresults; i++)
			n += b->results[i].page_bytes == sizes[s] &&
				belongs(&b->results[i], probe, variant);
		if (n > most) {
			most = n;
			best = sizes[s];
		}
	}
	return best;
}

const struct cache_claim *claimed_cache(const struct findings *f, unsigned level)
{
	for (unsigned i = 0; i < f->ncaches; i++)
		if (f->caches[i].level == level && f->caches[i].type != CLAIM_INSTRUCTION)
			return &f->caches[i];
	return NULL;
}

double upper_quartile_cycles(const struct curve *c, unsigned first, unsigned last)
{
	double cycles[INFER_POINTS];
	unsigned n = 0;

	for (unsigned i = first; i <= last; i++) {
		if (!(c->from[i]->cycles > 0))
			return NOT_A_NUMBER;
		cycles[n++] = c->from[i]->cycles;
	}
	return math_upper_quartile(cycles, n);
}

void found(struct findings *f, const char *name, const char *unit, struct estimate e,
	double claimed, const char *rests_on)
{
	bool bracket = math_finite(e.low) && math_finite(e.high) && math_finite(e.value);

	if (f->n == FINDINGS)
		return;
	f->list[f->n++] = (struct summary){
		.name = name,
		.unit = unit,
		.value = e.value,
		.claimed = claimed,
		.low = bracket ? e.low : 0,
		.high = bracket ? e.high : 0,
		.confidence = e.confidence,
		.rests_on = rests_on,
		.reason = math_finite(e.value) ? NULL : e.reason,
	};
}

const struct summary *finding(const struct findings *f, const char *name)
{
	for (unsigned i = 0; i < f->n; i++)
		if (same(f->list[i].name, name))
			return &f->list[i];
	return NULL;
}

struct estimate not_resolved(const char *reason)
{
	return (struct estimate){ NOT_A_NUMBER, NOT_A_NUMBER, NOT_A_NUMBER, 0, reason };
}

struct estimate plain_estimate(double value, double confidence)
{
	if (!math_finite(value))
		return not_resolved(NOT_MEASURED);
	return (struct estimate){ value, NOT_A_NUMBER, NOT_A_NUMBER, confidence, NULL };
}

bool summary_agrees(const struct summary *s)
{
	if (!math_finite(s->value) || !math_finite(s->claimed))
		return false;
	if (s->low < s->high && s->claimed >= s->low && s->claimed < s->high)
		return true;
	return math_abs(s->claimed - s->value) <= 0.1 * math_abs(s->value);
}
