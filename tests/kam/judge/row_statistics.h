/* SPDX-License-Identifier: MIT */
/* A row against itself: what docs/format.md says that its numbers have to do with one another. */
#ifndef TESTS_KAM_JUDGE_ROW_STATISTICS_H
#define TESTS_KAM_JUDGE_ROW_STATISTICS_H

#include "tests/kam/judge/judged_run.h"

/* What is wrong with the row, whatever it measures, or NULL. */
const char *row_statistics_fault(const struct judged *, json_t *row);

#endif
