/* SPDX-License-Identifier: MIT */
/* Machine code to struct insn. An instruction that is not in the table ends the program. */
#ifndef TESTS_KAM_RUN_DECODE_H
#define TESTS_KAM_RUN_DECODE_H

#include <stddef.h>

#include "tests/kam/cpu/insn.h"

/* The address operand of an instruction without memory events; ids are Unicorn's. */
struct address_operand {
	int base, index; /* 0: none */
	int scale;
	int64_t offset;
};

struct decoded {
	struct insn insn;
	struct address_operand operand;
};

/*
 * Decodes the instructions that begin in the first `bytes` bytes of the code of `all` bytes, which
 * runs at `address`, into out[max]; returns how many.
 */
size_t decode(const void *code, size_t bytes, size_t all, uint64_t address, struct decoded *out,
	size_t max);

#endif
