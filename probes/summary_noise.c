/* SPDX-License-Identifier: MIT */
/* What the room takes away: the gap scan of the measuring CPU in three numbers. */
#include "engine/find.h"

static const struct result *row(const struct findings *f, const char *variant)
{
	return find_result(f->b, "noise", variant, NULL, 0);
}

static void add(struct findings *f, const char *name, const char *unit, const struct result *r,
	double value, const char *rests_on)
{
	struct estimate e = r ? plain_estimate(value, 1) : not_resolved(NOT_MEASURED);

	found(f, name, unit, e, __builtin_nan(""), rests_on);
}

void find_noise(struct findings *f)
{
	const struct result *gaps = row(f, "gaps"), *stolen = row(f, "stolen"),
			    *longest = row(f, "longest");

	add(f, "noise_gaps_per_second", "gaps/s", gaps, gaps ? gaps->mean : 0, "noise gaps");
	add(f, "noise_stolen_ppm", "ppm", stolen, stolen ? stolen->mean : 0, "noise stolen");
	add(f, "noise_longest_ns", "ns", longest, longest ? longest->max : 0, "noise longest");
}
