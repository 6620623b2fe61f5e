/* SPDX-License-Identifier: MIT */
/* What the loops of `limits` reach: front end, ports, chains, stores written to L1. */
#ifndef TESTS_KAM_JUDGE_LIMITS_BOUND_H
#define TESTS_KAM_JUDGE_LIMITS_BOUND_H

#include "tests/kam/cpu/cpu.h"

/* Cycles of an instruction of a row, by its variant; NAN: no closed form. */
double limits_bound(const struct cpu *, const char *variant);

#endif
