/* SPDX-License-Identifier: MIT */
/* What code of `frontend` takes on a machine with [frontend], and what such a machine holds. */
#ifndef TESTS_KAM_JUDGE_FRONT_END_BOUND_H
#define TESTS_KAM_JUDGE_FRONT_END_BOUND_H

#include <stdbool.h>

#include "tests/kam/cpu/cpu.h"

enum code_kind { CODE_DENSE, CODE_SIX, CODE_SHORT, CODE_LONG, CODE_CURVES };
enum code_from { FROM_OPS, FROM_L1I, FROM_L2 };

/* Core cycles of an instruction of a kind, of much code that comes from there. */
double code_cycles(const struct cpu *, enum code_kind, enum code_from);
/* Bytes of a kind of code that the op cache holds; 0: it has none. */
double code_held(const struct cpu *, enum code_kind);
/* Instructions of a kind in as many bytes. */
double code_ops(enum code_kind, double bytes);

/* The least and the most that a row takes an instruction. */
struct code_bounds {
	double low, high;
};

/* variant: of a row of `frontend`; quiet: measured in layer a. false: it is none. */
bool code_row(const struct cpu *, const char *variant, double bytes, bool quiet,
	struct code_bounds *);
/* What jcc_erratum is. */
double jump_end_ratio(const struct cpu *);

#endif
