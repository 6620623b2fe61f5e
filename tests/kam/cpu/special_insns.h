/* SPDX-License-Identifier: MIT */
/*
 * Fences, rdtsc, cpuid, privileged and locked ones, clflush, prefetch, and what a branch does to
 * the front end.
 */
#ifndef TESTS_KAM_CPU_SPECIAL_INSNS_H
#define TESTS_KAM_CPU_SPECIAL_INSNS_H

#include "tests/kam/cpu/model.h"

/* Executes one of these instructions; false: it is plain, or a branch. */
bool special_step(struct model *, const struct insn *, const struct insn_run *, uint64_t t);
/* A branch that resolves at cycle `done`: predicts it and delays what enters next. */
void branch_resolve(struct model *, const struct insn *, const struct insn_run *, uint64_t done);
/* An instruction that entered has completed (model.c). */
void model_retire(struct model *, uint64_t completed);

#endif
