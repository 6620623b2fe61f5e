/* SPDX-License-Identifier: MIT */
/*
 * Writes x86-64 code of nothing but jumps, calls and returns (Intel SDM vol. 2: EB, E9, E8, C3),
 * for the experiments whose code size is the parameter. Offsets count from the start of the block.
 */
#ifndef PROBES_BRANCH_BRANCH_CODE_H
#define PROBES_BRANCH_BRANCH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code {
	unsigned char *base;
	size_t capacity, at;
	bool full; /* something did not fit: the block must not be run */
};

/* Starts a block in `capacity` bytes of writable memory. */
struct code code_begin(void *base, size_t capacity);
void code_return(struct code *);
/* To offset `target`, which need not be written yet; the shortest form that reaches it. */
void code_jump(struct code *, size_t target);
void code_call(struct code *, size_t target);
/* Fills with int3 up to offset `at`; execution must never come there. */
void code_pad(struct code *, size_t at);

/* Bytes that code_targets and code_calls need. */
size_t code_targets_bytes(uint64_t jumps, uint64_t spacing);
size_t code_calls_bytes(uint64_t depth);

/* Where the code proper starts in both; offset 0 is a lone return, the twin without work. */
#define CODE_ENTRY 64

/* `jumps` taken jumps, each `spacing` (>= 8) bytes after the one before, then a return. */
void code_targets(struct code *, uint64_t jumps, uint64_t spacing);
/* A function that calls a function ... `depth` deep (>= 1, itself included), 64 bytes apart. */
void code_calls(struct code *, uint64_t depth);

#endif
