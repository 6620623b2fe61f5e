/* SPDX-License-Identifier: MIT */
/* What a stated machine hides, or a run of this grid on it cannot show: "not resolved" is right. */
#ifndef TESTS_KAM_JUDGE_HIDDEN_H
#define TESTS_KAM_JUDGE_HIDDEN_H

#include "tests/kam/judge/declare.h"

void hide(const struct cpu *, double grid, struct declared *list, size_t n);

#endif
