/* SPDX-License-Identifier: MIT */
/*
 * Edges that are elsewhere at another time: what decides where they are, and what is said of them.
 * docs/method.md, "Measured again".
 */
#include <string.h>

#include "engine/find.h"
#include "lib/math.h"

#define MOVED_DOUBT 0.3  /* confidence lost by an edge that was elsewhere at another time */
#define MOVED_MOST  2    /* factor between its places: more, and it is not resolved */
#define WIDER_DOUBT 0.25 /* confidence is divided by 1 + this x octaves by which a bracket grows */

static void note(struct edge_rows *e, const struct result *r)
{
	if (e->n < EDGE_ROWS_MOST)
		e->row[e->n++] = r;
}

/* The bracket of all times begins where the upper reading does, and ends where the lower does. */
void note_edge(struct bench *b, const struct curve *c, const struct estimate *e)
{
	unsigned low = 0, high = c->n - 1;

	while (low + 1 < c->n && c->point[low + 1].x <= e->low)
		low++;
	while (high && c->point[high - 1].x >= e->high)
		high--;
	if (b->edges)
		note(b->edges, c->from[b->reading == READ_UPPER ? low : high]);
}

const struct summary *value_named(const struct found_values *f, const char *name)
{
	for (unsigned i = 0; i < f->n; i++)
		if (strcmp(f->list[i].name, name) == 0)
			return &f->list[i];
	return NULL;
}

bool same_place(const struct summary *a, const struct summary *b)
{
	return a && b && a->edge && b->edge && a->low < b->high && b->low < a->high;
}

static void give_up(struct summary *s, const char *reason)
{
	s->value = NOT_A_NUMBER;
	s->low = s->high = s->confidence = 0;
	s->rise[0] = s->rise[1] = s->rise[2] = 0;
	s->reason = reason;
}

static void widen(struct summary *s, const struct summary *lower, const struct summary *upper)
{
	const struct summary *others[2] = { lower, upper };
	double octaves = math_log2(s->high / s->low), least = s->value, most = s->value;
	bool moved = !same_place(lower, upper) || !same_place(s, lower) || !same_place(s, upper);

	for (unsigned i = 0; i < 2; i++) {
		const struct summary *o = others[i];

		if (!o || !o->edge)
			continue;
		least = math_min(least, o->value);
		most = math_max(most, o->value);
		s->low = math_min(s->low, o->low);
		s->high = math_max(s->high, o->high);
	}
	if (moved && (most > MOVED_MOST * least || s->high - s->low > s->value)) {
		give_up(s, "elsewhere at another time");
		return;
	}
	s->confidence /= 1 + WIDER_DOUBT * (math_log2(s->high / s->low) - octaves);
	if (moved)
		s->confidence *= 1 - MOVED_DOUBT;
	if (too_doubtful(s->confidence))
		give_up(s, ROWS_DISAGREE);
}

void widen_edges(struct found_values *values, const struct found_values *lower,
	const struct found_values *upper)
{
	for (unsigned i = 0; i < values->n; i++) {
		struct summary *s = &values->list[i];

		if (s->edge)
			widen(s, value_named(lower, s->name), value_named(upper, s->name));
	}
}
