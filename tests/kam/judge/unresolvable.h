/* SPDX-License-Identifier: MIT */
/* Values that a run with this grid cannot resolve on a machine: "not resolved" is then correct. */
#ifndef TESTS_KAM_JUDGE_UNRESOLVABLE_H
#define TESTS_KAM_JUDGE_UNRESOLVABLE_H

#include "tests/kam/judge/expected.h"

void mark_unresolvable(const struct cpu *, double grid, struct expected *list, size_t n);

#endif
