/* SPDX-License-Identifier: MIT */
/* Rows of the probe `cores` against what a machine of several cores makes of them. */
#ifndef TESTS_KAM_JUDGE_CORES_ROWS_H
#define TESTS_KAM_JUDGE_CORES_ROWS_H

#include "tests/kam/cpu/cpu.h"

/*
 * Prints a line for each row of `cores` in a result file; how many are wrong, and how many values
 * that the machine has were not measured although the probe was. Machines of one core: none.
 */
unsigned judge_cores(const struct cpu *, const char *result);

#endif
