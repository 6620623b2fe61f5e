/* SPDX-License-Identifier: MIT */
/*
 * C functions in section .loops: work where the compiler's choice (a call, the order of loops) is
 * the point. Compiled with fixed flags (Makefile, LOOP) and timed through loop_timed_call.
 */
#ifndef PROBES_LOOPS_LEAF_H
#define PROBES_LOOPS_LEAF_H

#include <stdint.h>

#define LEAF __attribute__((section(".loops"), noipa))

/* How many of n words are odd: one call per word, or the same test inlined. */
uint64_t leaf_count_odd_calls(const uint64_t *words, uint64_t n);
uint64_t leaf_count_odd_inlined(const uint64_t *words, uint64_t n);

/* n! modulo 2^64, n >= 0: n nested calls, or a loop. */
uint64_t leaf_factorial_calls(uint64_t n);
uint64_t leaf_factorial_loop(uint64_t n);
/* to[i - 1] = i! for i = 1..n, each anew, by the same two ways; returns the sum of all. */
uint64_t leaf_factorials_calls(uint64_t *to, uint64_t n);
uint64_t leaf_factorials_loop(uint64_t *to, uint64_t n);

/* The first `rows` rows of c = a b, all n x n by rows. */
struct matmul {
	const double *a, *b;
	double *c;
	uint64_t n, rows;
};

/* Both return the bits of the last element they computed; n and rows >= 1. */
uint64_t leaf_matmul_ijk(const struct matmul *);
uint64_t leaf_matmul_ikj(const struct matmul *);

#endif
