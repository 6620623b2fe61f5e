/* SPDX-License-Identifier: MIT */
/*
 * Instructions that Unicorn leaves to its user, or does not have: interrupts, SYSCALL and the ways
 * back from them, which go where the processor would go; saves of the vector state, of which there
 * are SSE's registers only; RDMSR of a counter of SMIs, and OUT to the port that asks for one.
 */
#ifndef TESTS_KAM_RUN_SYSTEM_INSNS_H
#define TESTS_KAM_RUN_SYSTEM_INSNS_H

#include <stdbool.h>
#include <stdint.h>

#include <unicorn/unicorn.h>

#include "tests/kam/cpu/model.h"

struct system_state {
	struct model *model; /* that RDMSR and OUT ask of SMIs */
	uint64_t asked_in; /* looks at the counter until an SMI that was asked for comes; 0: none */
	uint64_t interrupted; /* where an IRET returns to */
	uint64_t in_use;      /* components of the vector state */
};

bool is_system_insn(const struct insn *);
/* Does one, whose operand is at that address; where the next one is. */
uint64_t system_insn(uc_engine *, const struct insn *, uint64_t operand, struct system_state *);

#endif
