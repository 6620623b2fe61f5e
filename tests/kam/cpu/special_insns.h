/* SPDX-License-Identifier: MIT */
/* Instructions that order others: fences, time stamps, flushes, branches. */
#ifndef TESTS_KAM_CPU_SPECIAL_INSNS_H
#define TESTS_KAM_CPU_SPECIAL_INSNS_H

#include "tests/kam/cpu/model.h"

/* Handles an instruction that is not plain and not a branch; false: it is one of those. */
bool special_step(struct model *, const struct insn *, const struct insn_run *, uint64_t t);
/* A branch that was resolved at `done` steers what enters next. */
void branch_resolve(struct model *, const struct insn *, const struct insn_run *, uint64_t done);
/* An instruction that entered has completed (model.c). */
void model_retire(struct model *, uint64_t completed);

#endif
