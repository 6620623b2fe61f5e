/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "tests/kam/judge/value_rules.h"

const struct value_rule value_rules[VALUES_KNOWN] = {
	[VALUE_none] = { "", "", OPTIONAL, "", "" },
#define VALUE(name, unit, probe, variant, when, line, part) { #name, unit, when, #probe, variant },
#include "probes/values.inc"
#undef VALUE
#define NOISE_THRESHOLD(us, whose) { "noise_gaps_above_" #us "us", "gaps", OPTIONAL, "", "" },
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
};

const struct value_rule *value_rule(const char *name)
{
	enum value_id id = value_by_name(name);

	return id ? &value_rules[id] : NULL;
}
