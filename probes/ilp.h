/* SPDX-License-Identifier: MIT */
/* What the arithmetic loops return, in plain C; for the probe `ilp` and its test. */
#ifndef PROBES_ILP_H
#define PROBES_ILP_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/loops/loops.h"

/* Both write to[n] as the loop leaves it after that many laps, and return the digest of it. */
uint64_t ilp_differences(double *to, const double *from, uint64_t n, uint64_t laps);
uint64_t ilp_prefix_sum(double *to, const double *from, uint64_t n, uint64_t laps);

/* What the loops on integers leave in the array, and the digest of it. */
uint64_t ilp_int_differences(uint64_t *array, uint64_t n, uint64_t laps);
uint64_t ilp_int_prefix_sum(uint64_t *array, uint64_t n, uint64_t laps);

struct ilp_chain {
	const char *variant; /* "add" or "multiply" */
	unsigned lanes;
	bool multiplies;
	loop_fn *loop;
};

extern const struct ilp_chain ilp_chains[];
extern const unsigned ilp_chain_count;

/* The sum of all accumulators after 64 n operations. */
uint64_t ilp_chain_value(const struct ilp_chain *, uint64_t n);

#endif
