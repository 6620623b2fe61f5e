/* SPDX-License-Identifier: MIT */
/*
 * A noisy room still has a floor: what the quietest tenth of the samples shows. Where it tells
 * another machine than the medians do, both are said. docs/method.md, "Floors".
 */
#include <string.h>

#include "engine/find.h"
#include "lib/math.h"

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

void keep_floors(const struct bench *b, struct found_values *values,
	const struct found_values *by_floor)
{
	for (unsigned i = 0; i < values->n; i++) {
		struct summary *s = &values->list[i];
		const struct summary *floor = value_named(by_floor, s->name);

		bool moved = s->edge && s->reason; /* one moment more would say no more */

		if (!floor || moved || !tells_another(s, floor))
			continue;
		s->has_floor = true;
		s->floor = floor->value;
		s->floor_low = floor->low;
		s->floor_high = floor->high;
		s->disturbed_share = disturbed_share(b, values->by[i]);
	}
}
