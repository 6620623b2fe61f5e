/* SPDX-License-Identifier: MIT */
/* Instructions given to the model by hand. */
#ifndef TESTS_KAM_UNIT_BY_HAND_H
#define TESTS_KAM_UNIT_BY_HAND_H

#include "tests/kam/cpu/model.h"

/* A machine in round numbers whose TLBs are too large to matter. */
struct cpu machine(void);
/* Adds one instruction; returns the cycle by which all so far have completed. */
uint64_t run(struct model *, struct insn, uint64_t address);
uint64_t add(struct model *, unsigned to, unsigned from);
/* register `to` = memory at an address that is known when register `from` is */
uint64_t load(struct model *, unsigned to, unsigned from, uint64_t address);
uint64_t store(struct model *, unsigned from, uint64_t address);
uint64_t simple(struct model *, enum insn_kind, uint64_t address);
/* All is quiet; returns the cycle from which the next instruction may enter. */
uint64_t settle(struct model *);

#endif
