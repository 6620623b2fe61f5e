/* SPDX-License-Identifier: MIT */
/* The rules of probes/values.inc: which values a run must have, and on which rows each rests. */
#ifndef TESTS_KAM_JUDGE_VALUE_RULES_H
#define TESTS_KAM_JUDGE_VALUE_RULES_H

#include "lib/values.h"

enum needed { ALWAYS, WITH_L3, WITH_L4, OPTIONAL };

struct value_rule {
	const char *name, *unit;
	enum needed needed;
	const char *probe, *variant; /* variant "": not asked for by the known-answer machine */
};

extern const struct value_rule value_rules[VALUES_KNOWN]; /* the first is of VALUE_none */

/* Returns the rule of a value; NULL: no such name. */
const struct value_rule *value_rule(const char *name);

#endif
