/* SPDX-License-Identifier: MIT */
/* Values that a run with this grid cannot resolve on a machine: "not resolved" is then correct. */
#ifndef TESTS_KAM_JUDGE_UNRESOLVABLE_H
#define TESTS_KAM_JUDGE_UNRESOLVABLE_H

#include "tests/kam/judge/expected.h"

/* arena: bytes of memory that the run could measure. */
void mark_unresolvable(const struct cpu *, double grid, const struct measurable *,
	struct expected *list, size_t n);

#endif
