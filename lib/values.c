/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "lib/values.h"

/* Name, unit and part of each value, one text behind another: pointers would need more space. */
static const char texts[] = "\0\0\0"
#define VALUE(name, unit, probe, variant, when, line, part) #name "\0" unit "\0" part "\0"
#include "probes/values.inc"
#undef VALUE
#define NOISE_THRESHOLD(us, whose) "noise_gaps_above_" #us "us\0gaps\0\0"
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
	;

static const uint8_t lines[VALUES_KNOWN] = {
#define VALUE(name, unit, probe, variant, when, line, part) [VALUE_##name] = CARD_##line,
#include "probes/values.inc"
#undef VALUE
};

static const char *next(const char *text)
{
	return text + strlen(text) + 1;
}

struct value_facts value_facts(enum value_id id)
{
	const char *name = texts;

	for (unsigned i = 0; i < 3 * (unsigned)id; i++)
		name = next(name);
	return (struct value_facts){ name, next(name), next(next(name)), lines[id] };
}

unsigned values_on_line(enum card_line line, enum value_id of[LINE_VALUES])
{
	unsigned n = 0;

	for (unsigned id = 0; id < VALUES_KNOWN; id++)
		if (lines[id] == line && n < LINE_VALUES)
			of[n++] = (enum value_id)id;
	return n;
}

enum value_id value_by_name(const char *name)
{
	const char *at = texts;
	unsigned id = 0;

	while (strcmp(at, name) != 0 && ++id < VALUES_KNOWN)
		at = next(next(next(at)));
	return id < VALUES_KNOWN ? (enum value_id)id : VALUE_none;
}
