/* SPDX-License-Identifier: MIT */
/* A run against its plan: what was asked for was measured, or skipped with a reason. */
#ifndef TESTS_KAM_JUDGE_RUN_PLAN_H
#define TESTS_KAM_JUDGE_RUN_PLAN_H

#include "tests/kam/judge/judged_run.h"

void judge_plan(const struct judged *);

#endif
