/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/tsc_choice.h"

#include <string.h>

#include "lib/stats.h"

#define CONFIRM_PPM 500

static double off_ppm(double a, double b)
{
	double d = a > b ? a - b : b - a;

	return d / b * 1e6;
}

static bool is_timed(const struct tsc_source *s)
{
	return !s->claimed && s->hz > 0;
}

static bool is_delay(const struct tsc_source *s)
{
	return strcmp(s->name, "stall") == 0;
}

/* The timed source of median value; of two, the first: they are in order of precision. */
static const struct tsc_source *middle_timed(const struct facts *f)
{
	const struct tsc_source *first = NULL;
	double values[TSC_SOURCES];
	unsigned n = 0;

	for (unsigned i = 0; i < f->tsc_sources; i++) {
		if (is_timed(&f->tsc[i])) {
			values[n++] = f->tsc[i].hz;
			first = first ? first : &f->tsc[i];
		}
	}
	if (n < 3)
		return first;
	stats_sort(values, n);
	for (unsigned i = 0;; i++)
		if (is_timed(&f->tsc[i]) && f->tsc[i].hz == values[n / 2])
			return &f->tsc[i];
}

/*
 * The largest disagreement of a timed source with tsc_hz. A delay is coarse beside a counter: it
 * counts only where there are fewer than two counters.
 */
static double disagreement(const struct facts *f)
{
	double largest = 0, off;
	unsigned counters = 0;

	for (unsigned i = 0; i < f->tsc_sources; i++)
		counters += is_timed(&f->tsc[i]) && !is_delay(&f->tsc[i]);
	for (unsigned i = 0; i < f->tsc_sources; i++) {
		if (!is_timed(&f->tsc[i]) || (counters >= 2 && is_delay(&f->tsc[i])))
			continue;
		off = off_ppm(f->tsc[i].hz, f->tsc_hz);
		largest = off > largest ? off : largest;
	}
	return largest;
}

bool tsc_choose(struct facts *f)
{
	const struct tsc_source *timed = middle_timed(f), *chosen = timed;

	for (unsigned i = f->tsc_sources; i-- > 0;) {
		const struct tsc_source *s = &f->tsc[i];

		if (s->claimed && s->hz > 0 && (!timed || off_ppm(s->hz, timed->hz) < CONFIRM_PPM))
			chosen = s;
	}
	if (!chosen)
		return false;
	f->tsc_hz = chosen->hz;
	f->tsc_source = chosen->name;
	f->tsc_disagree_ppm = disagreement(f);
	return true;
}
