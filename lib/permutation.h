/* SPDX-License-Identifier: MIT */
/*
 * A permutation of 0 .. n - 1 that is computed and takes no memory. Both directions take the same
 * short time wherever they are asked for.
 */
#ifndef LIB_PERMUTATION_H
#define LIB_PERMUTATION_H

#include <stdint.h>

#include "lib/math.h"

#define PERMUTATION_ROUNDS 6

/*
 * A number of `bits` bits goes through rounds, each of which has an inverse: an addition, a
 * multiplication by an odd number, and an exclusive-or of its lower half with its upper one. A
 * result of n or more goes through them again until it is below n ("cycle walking": Black and
 * Rogaway, Ciphers with Arbitrary Finite Domains, 2002), which keeps it one to one. Six rounds with
 * drawn numbers pass the statistics of tests/unit/lib/permutation_test.c as a Fisher-Yates shuffle
 * does; with five, one of 500 permutations of 256 numbers had 16 equal steps.
 */
struct permutation {
	uint64_t n;    /* 1 .. 2^32 - 1 */
	uint32_t mask; /* 2^bits - 1 */
	unsigned half; /* bits of the lower half, the larger one */
	struct permutation_round {
		uint32_t add, multiply, inverse; /* multiply x inverse = 1 modulo 2^32 */
	} rounds[PERMUTATION_ROUNDS];
};

/* Draws one of n numbers, n 1 .. 2^32 - 1. */
struct permutation permutation_draw(uint64_t n, struct random *);
/*
 * Returns another permutation, of n numbers, for each `number`; all are made from the one drawn.
 */
struct permutation permutation_variant(const struct permutation *, uint64_t n, uint64_t number);
/* The number at place k, 0 .. n - 1. */
uint64_t permutation_at(const struct permutation *, uint64_t k);
/* The place of a number, 0 .. n - 1. */
uint64_t permutation_place(const struct permutation *, uint64_t number);
/* Writes a permutation of 0 .. n - 1 to out; n as above. */
void permutation_list(uint32_t *out, uint64_t n, struct random *);

#endif
