/* SPDX-License-Identifier: MIT */
/* What the arithmetic loops return, in plain C; for the probe `ilp` and its test. */
#ifndef PROBES_ILP_H
#define PROBES_ILP_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/loops/loops.h"

struct ilp_chain {
	const char *variant; /* "add" or "multiply" */
	unsigned lanes;
	bool multiplies;
	loop_fn *loop;
};

extern const struct ilp_chain ilp_chains[];
extern const unsigned ilp_chain_count;

#endif
