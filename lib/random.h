/* SPDX-License-Identifier: MIT */
/* xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64: fast, equidistributed. */
#ifndef LIB_RANDOM_H
#define LIB_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t s[4];
};

void random_seed(struct random *, uint64_t seed);
uint64_t random_next(struct random *);
/* Uniform in 0..n-1, n >= 1, without modulo bias (Lemire 2019). */
uint64_t random_below(struct random *, uint64_t n);

#endif
