/* SPDX-License-Identifier: MIT */
/* The names that a summary line may have. */
#ifndef TESTS_KAM_JUDGE_SUMMARY_NAMES_H
#define TESTS_KAM_JUDGE_SUMMARY_NAMES_H

#include <stddef.h>

enum needed { ALWAYS, WITH_L3, WITH_L4, OPTIONAL };

struct summary_name {
	const char *name, *unit;
	enum needed needed;
	const char *probe, *variant; /* variant "": not asked for by the known-answer machine */
};

extern const struct summary_name summary_names[];
extern const size_t summary_name_count;

/* NULL: no such name. */
const struct summary_name *summary_name(const char *name);

#endif
