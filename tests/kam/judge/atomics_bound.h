/* SPDX-License-Identifier: MIT */
/* What locked operations take, in core cycles: for rows and for values. */
#ifndef TESTS_KAM_JUDGE_ATOMICS_BOUND_H
#define TESTS_KAM_JUDGE_ATOMICS_BOUND_H

#include "tests/kam/cpu/cpu.h"

/* An ADD to the word to which the ADD before it added; nothing else is in the way. */
double plain_add_cycles(const struct cpu *);
/*
 * A locked operation of so many cycles by each of the first n cores in one line, at least, or at
 * most: each core has the line once a round, and every way takes what a transfer takes.
 */
double shared_least(const struct cpu *, unsigned n, double cycles);
double shared_most(const struct cpu *, unsigned n, double cycles);

#endif
