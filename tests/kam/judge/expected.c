/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/truth.h"

#define PLATEAU_FEWEST  3    /* points: with two, one may belong to an edge */
#define COARSEST        1.9  /* from one size to the next: profile smoke has 2 */
#define ROUNDED         0.01 /* of a step */
#define PLATEAU_OCTAVES 0.7  /* its length */

struct expected *expect(struct expected_list *l, const char *name, double value, double low,
	double high, const char *tolerance)
{
	struct expected *d = &l->out[l->n++];

	if (l->n > EXPECTED_MOST)
		fatal("more than %d expected values", EXPECTED_MOST);
	*d = (struct expected){
		.name = name,
		.value = value,
		.low = low,
		.high = high,
		.tolerance = tolerance,
	};
	return d;
}

struct expected *expect_near(struct expected_list *l, const char *name, double value, double room,
	const char *tolerance)
{
	return expect(l, name, value, value - room, value + room, tolerance);
}

struct expected *expect_percent(struct expected_list *l, const char *name, double value, double p,
	const char *tolerance)
{
	return expect(l, name, value, less(value, p), more(value, p), tolerance);
}

struct expected *expect_bisected(struct expected_list *l, const char *name, double value, double p,
	double grain, const char *tolerance)
{
	double room = fmax(value * p / 100, p > 0 ? grain : 0);
	struct expected *d = expect_near(l, name, value, room, tolerance);

	d->bracketed = true;
	d->widest = more(fmax(value * p / 100, grain), ROUNDING);
	return d;
}

struct expected *expected_find(struct expected_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->out[i].name, name))
			return &l->out[i];
	return NULL;
}

void expect_none(struct expected *d, bool when, const char *why)
{
	if (when)
		d->must_be_unresolved = why;
}

void expect_maybe_none(struct expected *d, bool when, const char *why)
{
	if (when && !d->may_be_unresolved)
		d->may_be_unresolved = why;
}

void must_be_unresolved(struct expected_list *l, bool when, const char *name, const char *why)
{
	struct expected *d = expected_find(l, name);

	if (d)
		expect_none(d, when, why);
}

void may_be_unresolved(struct expected_list *l, bool when, const char *name, const char *why)
{
	struct expected *d = expected_find(l, name);

	if (d)
		expect_maybe_none(d, when, why);
}

struct expected *expect_shared(struct expected_list *l, const char *name, uint64_t ways,
	uint64_t taken)
{
	struct expected *d = expected_find(l, name);

	if (!d || !taken || !l->cpu->period_us)
		return NULL;
	d->low -= d->value * (double)taken / (double)ways;
	d->widest = d->value;
	d->exact_where_tried = false;
	d->may_be_unresolved = "a neighbour has a part of it at times";
	return d;
}

double sweep_points(const struct expected_list *l, double start, double from, double to)
{
	double step = log2(l->grid), below = floor(log2(from / start) / step + ROUNDED);
	double most = floor(log2(to / start) / step + ROUNDED);

	return most - (below < -1 ? -1 : below);
}

bool sweep_plateau(const struct expected_list *l, double start, double from, double to)
{
	return sweep_points(l, start, from, to) >=
		fmax(PLATEAU_FEWEST, ceil(PLATEAU_OCTAVES / log2(l->grid) - ROUNDED) + 1);
}

bool sweep_is_coarsest(const struct expected_list *l)
{
	return l->grid > COARSEST;
}

double measurable_bytes(const struct measurable *m, double page)
{
	return page < (2 << 20) ? m->small : m->large;
}

void expected_values(struct expected_list *l)
{
	for (size_t i = 0; i < truth_count; i++)
		if (truths[i].truth->expect)
			truths[i].truth->expect(l);
}
