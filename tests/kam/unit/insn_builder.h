/* SPDX-License-Identifier: MIT */
/* Builders of single instructions for the tests of the model. */
#ifndef TESTS_KAM_UNIT_INSN_BUILDER_H
#define TESTS_KAM_UNIT_INSN_BUILDER_H

#include "tests/kam/cpu/model.h"

/* A machine in round numbers whose TLBs are too large to matter. */
struct cpu test_cpu(void);
/* Adds one instruction; returns the cycle by which all so far have completed. */
uint64_t run(struct model *, struct insn, uint64_t address);
uint64_t add(struct model *, unsigned to, unsigned from);
/* register `to` = memory at an address that is known when register `from` is */
uint64_t load(struct model *, unsigned to, unsigned from, uint64_t address);
uint64_t store(struct model *, unsigned from, uint64_t address);
uint64_t simple(struct model *, enum insn_kind, uint64_t address);
/* Waits until all has completed; returns the cycle from which the next instruction may enter. */
uint64_t drain(struct model *);

#endif
