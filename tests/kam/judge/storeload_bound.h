/* SPDX-License-Identifier: MIT */
/* What a store and the load behind it take, in core cycles: for rows and for values. */
#ifndef TESTS_KAM_JUDGE_STORELOAD_BOUND_H
#define TESTS_KAM_JUDGE_STORELOAD_BOUND_H

#include "tests/kam/cpu/cpu.h"

/* By a load of `load` bytes, `offset` bytes behind the first of `store` bytes that are stored. */
double forward_cycles(const struct cpu *, double store, double load, double offset);
/* By the register and displacement of the store, 8 bytes. */
double forward_same_cycles(const struct cpu *);
/* Where a load needs more than its store holds; `stores` of them go to L1 one after the other. */
double forward_fail_cycles(const struct cpu *, unsigned stores);
/* Whether that is more than a load that is forwarded takes. */
int forward_fails(const struct cpu *);
/*
 * What a load across two pages of 2 MiB takes more: a first TLB of one entry has neither of them.
 */
double load_page_more(const struct cpu *);

#endif
