/* SPDX-License-Identifier: MIT */
/* The instructions of a timed loop, decoded from the bytes that an image has. */
#ifndef TESTS_KAM_LOOPS_LOOP_CODE_H
#define TESTS_KAM_LOOPS_LOOP_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_MOST 8192

struct code_insn {
	uint64_t at; /* offset in section .loops */
	unsigned bytes;
	char mnemonic[32];      /* Capstone's, without "rep " */
	bool repeated;          /* rep */
	unsigned load, store;   /* bytes; 0: none */
	int base, index;        /* of the memory operand; 0: none. Capstone's ids */
	int64_t offset;         /* of it */
	int result;             /* register written by the first operand; 0: none */
	int source;             /* register that is the second operand; 0: none */
	bool cr3;               /* it is written */
	bool immediate;         /* the last operand is a constant */
	bool jump, conditional; /* jump: also call and ret */
	bool direct;            /* `target` is known */
	uint64_t target;
};

struct decoded_code {
	size_t n;
	struct code_insn insns[CODE_MOST];
};

/* Decodes the code that runs at offset `at`. An unknown instruction ends the program. */
void code_decode(struct decoded_code *, const uint8_t *bytes, size_t n, uint64_t at);

/* A stretch of instructions: first..last, both included; none where last < first. */
struct code_stretch {
	size_t first, last;
};

/* From behind the first time stamp to before the last one; all of code without stamps. */
struct code_stretch code_timed(const struct decoded_code *);
/* Returns true if the instruction jumps backwards within the stretch. */
bool code_closes(const struct decoded_code *, struct code_stretch, size_t insn);
/* Returns the stretch that a backward jump repeats. */
struct code_stretch code_repeated(const struct decoded_code *, size_t insn);
/* Returns true if the stretch contains no other repeated stretch. */
bool code_innermost(const struct decoded_code *, struct code_stretch);
/*
 * Returns the innermost repeated stretch with the most instructions; if there is none, the stretch
 * itself.
 */
struct code_stretch code_body(const struct decoded_code *, struct code_stretch);

#endif
