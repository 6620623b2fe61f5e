/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/find.h"
#include "engine/infer/card.h"
#include "tests/kam/judge/summary_names.h"

const struct summary_name summary_names[] = {
#define NAME(name, unit, when, probe, variant) { #name, unit, when, probe, variant },
#define LEVELS(name, unit, probe, variant)                                                         \
	NAME(name##_l1, unit, ALWAYS, probe, variant)                                              \
	NAME(name##_l2, unit, ALWAYS, probe, variant)                                              \
	NAME(name##_l3, unit, WITH_L3, probe, variant)                                             \
	NAME(name##_l4, unit, WITH_L4, probe, variant)                                             \
	NAME(name##_memory, unit, ALWAYS, probe, variant)
#include "tests/kam/judge/summary_names.inc"
#undef LEVELS
#undef NAME
#define NOISE_THRESHOLD(us, whose) { "noise_gaps_above_" #us "us", "gaps", OPTIONAL, "", "" },
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
};

_Static_assert(sizeof(summary_names) / sizeof(*summary_names) <= FOUND_MOST &&
		FOUND_MOST <= CARD_VALUES,
	"a run and its card have a place for each value");

const size_t summary_name_count = sizeof(summary_names) / sizeof(*summary_names);

const struct summary_name *summary_name(const char *name)
{
	size_t i;

	for (i = 0; i < summary_name_count; i++)
		if (!strcmp(summary_names[i].name, name))
			return &summary_names[i];
	return NULL;
}
