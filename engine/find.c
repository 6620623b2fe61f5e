/* SPDX-License-Identifier: MIT */
/* The values that find hooks infer by each reading of the rows, and what the readings differ by. */
#include <string.h>

#include "engine/find.h"
#include "engine/plan.h"
#include "lib/ensure.h"
#include "lib/math.h"

#define BRACKET_LEAST 0.3 /* confidence of a bracket: below, what is there at least says more */

/* Returns true if the value is too unsure to be said: it is then not resolved, ROWS_DISAGREE. */
static bool too_unsure(const struct summary *s)
{
	return s->confidence < (s->least > 0 ? BRACKET_LEAST : CONFIDENCE_LEAST);
}

/*
 * Edges that are elsewhere at another time: what decides where they are, and what is said of them.
 * docs/method.md, "Measured again".
 */

#define EDGE_MOVED_LOSS 0.3  /* confidence lost by an edge that was elsewhere at another time */
#define MOVED_MOST      2    /* factor between its places: more, and it is not resolved */
#define WIDER_LOSS      0.25 /* confidence is divided by 1 + this x octaves that a bracket grows */

static const struct summary *value_named(const struct found_values *f, const char *name)
{
	for (unsigned i = 0; i < f->n; i++)
		if (strcmp(f->list[i].name, name) == 0)
			return &f->list[i];
	return NULL;
}

const struct summary *find_value(const struct found_values *f, enum value_id id)
{
	return value_named(f, value_facts(id).name);
}

/* Returns true if both are values of an edge, with brackets that overlap; NULL is none. */
static bool same_place(const struct summary *a, const struct summary *b)
{
	return a && b && a->edge && b->edge && a->low < b->high && b->low < a->high;
}

#define AT_LEAST_CONFIDENCE 0.9 /* confidence of "at least so many": two measurements say it */

/* No value, or the one that it has at least. */
static void give_up(struct summary *s, const char *reason)
{
	bool least = s->least > 0;

	s->value = least ? s->least : NOT_A_NUMBER;
	s->low = least ? s->least : 0;
	s->high = least ? __builtin_inf() : 0;
	s->confidence = least ? AT_LEAST_CONFIDENCE : 0;
	s->rise[0] = s->rise[1] = s->rise[2] = 0;
	s->reason = least ? NULL : reason;
	s->edge = false;
	s->least = 0; /* said now */
}

void lose_confidence(struct summary *s, double loss)
{
	s->confidence *= 1 - loss;
	if (math_finite(s->value) && too_unsure(s))
		give_up(s, ROWS_DISAGREE);
}

static void widen(struct summary *s, const struct summary *lower, const struct summary *upper)
{
	const struct summary *others[2] = { lower, upper };
	double octaves = math_log2(s->high / s->low), least = s->value, most = s->value;
	bool edge_moved =
		!same_place(lower, upper) || !same_place(s, lower) || !same_place(s, upper);

	for (unsigned i = 0; i < 2; i++) {
		const struct summary *o = others[i];

		if (!o || !o->edge)
			continue;
		least = math_min(least, o->value);
		most = math_max(most, o->value);
		s->low = math_min(s->low, o->low);
		s->high = math_max(s->high, o->high);
	}
	if (edge_moved && (most > MOVED_MOST * least || s->high - s->low > s->value)) {
		s->edge_nowhere = true;
		give_up(s, "elsewhere at another time");
		return;
	}
	s->confidence /= 1 + WIDER_LOSS * (math_log2(s->high / s->low) - octaves);
	lose_confidence(s, edge_moved ? EDGE_MOVED_LOSS : 0);
}

/* Widens the brackets of edges by what the quartiles of the rows say. */
static void widen_edges(struct found_values *values, const struct found_values *lower,
	const struct found_values *upper)
{
	for (unsigned i = 0; i < values->n; i++) {
		struct summary *s = &values->list[i];

		if (s->edge)
			widen(s, value_named(lower, s->name), value_named(upper, s->name));
	}
}

/*
 * A noisy room still has a floor: what the quietest tenth of the samples shows. Where it tells
 * another machine than the medians do, both are said. docs/method.md, "Floors".
 */

#define FLOOR_AWAY    0.03
#define FLOOR_OUTSIDE 0.01

/* A time that is longer in quiet moments was read at another place of the curve: no floor. */
static bool is_longer(const struct summary *s, const struct summary *floor)
{
	bool time = strcmp(s->unit, "ns") == 0 || strcmp(s->unit, "cycles") == 0;

	return time && floor->value > s->value;
}

static bool tells_another(const struct summary *s, const struct summary *floor)
{
	if (!math_finite(floor->value))
		return false;
	if (!math_finite(s->value))
		return true;
	if (is_longer(s, floor))
		return false;
	bool bracket = s->high > 0;
	double away = math_abs(floor->value - s->value);

	if (bracket && floor->value >= s->low && floor->value <= s->high)
		return false;
	return away > (bracket ? FLOOR_OUTSIDE : FLOOR_AWAY) * math_abs(s->value);
}

/* The part of all samples of a probe's rows that was disturbed. */
static double disturbed_share(const struct bench *b, const struct probe *probe)
{
	double all = 0, disturbed = 0;

	for (unsigned i = 0; i < b->nresults; i++)
		if (b->results[i].row->probe == probe) {
			all += b->results[i].samples;
			disturbed += b->results[i].disturbed;
		}
	return all > 0 ? disturbed / all : 0;
}

/* Notes in `values` what the hooks found by the rows' floors, where that differs. */
static void keep_floors(const struct bench *b, struct found_values *values,
	const struct found_values *by_floor)
{
	for (unsigned i = 0; i < values->n; i++) {
		struct summary *s = &values->list[i];
		const struct summary *floor = value_named(by_floor, s->name);

		if (!floor || s->edge_nowhere || !tells_another(s, floor))
			continue;
		s->has_floor = true;
		s->floor = floor->value;
		s->floor_low = floor->low;
		s->floor_high = floor->high;
		s->disturbed_share = disturbed_share(b, values->by[i]);
	}
}

static void find_once(struct bench *b, struct found_values *f, unsigned i)
{
	const struct probe *p = &probes[i], *before = b->probe;
	bool floors = f->reader.reading == READ_FLOOR;
	size_t mark = b->work.used;

	if (f->searched >> i & 1)
		return;
	f->searched |= 1ULL << i;
	b->probe = p;
	if (p->hooks->find && !(floors && p->needs & NO_FLOORS))
		p->hooks->find(b, f);
	b->probe = before;
	b->work.used = mark;
}

static void find_each(struct bench *b, struct found_values *f)
{
	for (unsigned i = 0; i < probe_count; i++)
		find_once(b, f, i);
}

/*
 * Fills *into with what the find hooks infer from this reading of the rows: all hooks, or that of
 * `only` and those that it rests on. Returns false if there was no memory: into is NULL.
 */
static bool find_as(struct bench *b, enum reading reading, const struct probe *only,
	struct edge_rows *edges, struct found_values *into)
{
	if (!into)
		return false;
	*into = (struct found_values){ .reader = {
					       .bench = b, .reading = reading, .edges = edges } };
	if (only)
		find_once(b, into, (unsigned)(only - probes));
	else
		find_each(b, into);
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

	*b->found = (struct found_values){ .reader = b->found->reader };
	find_each(b, b->found);
	if (find_as(b, READ_LOWER, NULL, NULL, lower) && find_as(b, READ_UPPER, NULL, NULL, upper))
		widen_edges(b->found, lower, upper);
	if (find_as(b, READ_FLOOR, NULL, NULL, lower))
		keep_floors(b, b->found, lower);
	b->work.used = mark;
}

void run_find(struct bench *b, struct found_values *f, const char *probe)
{
	for (unsigned i = 0; i < probe_count; i++)
		if (strcmp(probes[i].name, probe) == 0)
			find_once(b, f, i);
}

/* Rows that gave no number are another reason than rows that were not asked for. */
static const char *why_not(const struct bench *b, const char *reason)
{
	bool no_number = b->probe && b->no_number >> (b->probe - probes) & 1;

	return no_number && strcmp(reason, NOT_MEASURED) == 0 ? MEASURED_NO_NUMBER : reason;
}

struct summary *found(struct found_values *f, enum value_id id, struct estimate e,
	const char *rests_on)
{
	bool bracket = math_finite(e.low) && math_finite(e.high) && math_finite(e.value);
	struct summary *s = &f->list[f->n];

	ensure(f->n < VALUES_KNOWN);
	f->by[f->n++] = f->reader.bench->probe;
	*s = (struct summary){
		.name = value_facts(id).name,
		.unit = value_facts(id).unit,
		.value = e.value,
		.claimed = NOT_A_NUMBER,
		.low = bracket ? e.low : 0,
		.high = bracket ? e.high : 0,
		.rise = { e.rise_10, e.rise_50, e.rise_90 },
		.confidence = e.confidence,
		.least = e.least,
		.rests_on = rests_on,
		.reason = math_finite(e.value) ? NULL : why_not(f->reader.bench, e.reason),
		.edge = e.edge && bracket,
	};
	if (s->reason)
		give_up(s, s->reason);
	else if (too_unsure(s))
		give_up(s, ROWS_DISAGREE);
	return s;
}

static bool any_moved(const struct found_values *lower, const struct found_values *upper)
{
	for (unsigned i = 0; i < lower->n; i++)
		if (lower->list[i].edge &&
			!same_place(&lower->list[i], value_named(upper, lower->list[i].name)))
			return true;
	return false;
}

#define AGAIN_USUAL 1 /* times that the rows at an edge are measured again, if all said the same */

static unsigned repeat_rows(struct bench *b, const struct probe *probe, const struct edge_rows *e,
	unsigned most)
{
	unsigned planned = 0;

	for (unsigned i = 0; i < e->n; i++)
		if (e->row[i]->row->probe == probe)
			planned += plan_repeat(b, e->row[i]->row, most);
	return planned;
}

unsigned plan_remeasure(struct bench *b, const struct probe *probe)
{
	size_t mark = b->work.used;
	struct found_values *lower = row_alloc(b, sizeof *lower);
	struct found_values *upper = row_alloc(b, sizeof *upper);
	struct edge_rows edges = { 0 };
	unsigned planned = 0, most;

	if (find_as(b, READ_LOWER, probe, &edges, lower) &&
		find_as(b, READ_UPPER, probe, &edges, upper)) {
		most = any_moved(lower, upper) ? AGAIN_MOVED : AGAIN_USUAL;
		planned = repeat_rows(b, probe, &edges, most);
	}
	b->work.used = mark;
	return planned;
}
