/* SPDX-License-Identifier: MIT */
/*
 * C functions in section .loops: work where the compiler's choice (a call, the order of loops) is
 * the point. Compiled with fixed flags (Makefile, LOOP) and timed through loop_timed_call.
 */
#ifndef PROBES_LOOPS_LEAF_H
#define PROBES_LOOPS_LEAF_H

#include <stdint.h>

#define LEAF __attribute__((section(".loops"), noipa))

/* The sum of the odd ones of 1..n: a call for each, or the same test inlined. */
uint64_t leaf_sum_odd_calls(uint64_t n);
uint64_t leaf_sum_odd_inlined(uint64_t n);

/* n! modulo 2^64, n >= 0: n nested calls, or a loop. */
uint64_t leaf_factorial_calls(uint64_t n);
uint64_t leaf_factorial_loop(uint64_t n);
/*
 * n! modulo 2^64 in *fact, which is loaded and stored at each step, as a global variable may be;
 * `laps` times, none of which waits for the one before; returns the sum.
 */
uint64_t leaf_factorial_memory(volatile uint64_t *fact, uint64_t n, uint64_t laps);
/* to[i] = i! for i = 0..n, each from the one before in memory; likewise. */
uint64_t leaf_factorial_buffer(uint64_t *to, uint64_t n, uint64_t laps);
/* to[i - 1] = i! for i = 1..n, each anew, by the same two ways; returns the sum of all. */
uint64_t leaf_factorials_calls(uint64_t *to, uint64_t n);
uint64_t leaf_factorials_loop(uint64_t *to, uint64_t n);

/*
 * Godbolt's machine of two states over n integers, from state 0 on. Returns acc. on_stack: state
 * and acc are loaded from the stack and stored there in each step.
 */
uint64_t leaf_states(const int *data, uint64_t n, int threshold);
uint64_t leaf_states_on_stack(const int *data, uint64_t n, int threshold);

/* The first `rows` rows of c = a b, all n x n by rows. */
struct matmul {
	const double *a, *b;
	double *c;
	uint64_t n, rows;
};

/* All return the bits of the last element they computed; n and rows >= 1. */
uint64_t leaf_matmul_ijk(const struct matmul *);
uint64_t leaf_matmul_ikj(const struct matmul *);
uint64_t leaf_matmul_ijk_vector(const struct matmul *);
uint64_t leaf_matmul_ikj_vector(const struct matmul *);

#endif
