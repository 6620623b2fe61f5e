/* SPDX-License-Identifier: MIT */
/*
 * The timed loops.
 *
 * A loop is position-independent code without relocations in section .loops. All of probes/loops/
 * is linked into one object (build/loops.o) before anything else, so that the UEFI image and the
 * Linux program carry the same bytes. A loop takes up to six integers as the System V ABI passes
 * them (rdi, rsi, rdx, rcx, r8, r9), keeps the callee-saved registers, and returns in RAX a value
 * that plain C can predict (the proof that it did its work) and in RDX the TSC ticks between its
 * two fenced time stamps. Called with a count of 0 it does everything but the work: that is its
 * empty twin, whose ticks are the overhead that the engine subtracts.
 */
#ifndef PROBES_LOOPS_LOOPS_H
#define PROBES_LOOPS_LOOPS_H

#include <stdint.h>

/* A loop's result, in RAX:RDX. */
struct timed {
	uint64_t value; /* what it computed */
	uint64_t ticks; /* TSC ticks from the first stamp to the second, overhead included */
};

typedef struct timed loop_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

#define LOOP_ARGS 6

/* First and last byte of .loops; tests compare and replace what lies between. */
extern const unsigned char loops_start[], loops_end[];

/* Every loop, by X-macro: LOOP(name). `loop_##name` is the symbol. */
#define LOOP(name) extern loop_fn loop_##name;
#include "probes/loops/loops.inc"
#undef LOOP

#endif
