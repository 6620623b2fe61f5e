/* SPDX-License-Identifier: MIT */
/* How many instructions of a kind a machine holds between two misses, and which structure ends. */
#ifndef TESTS_KAM_JUDGE_BACKEND_BOUND_H
#define TESTS_KAM_JUDGE_BACKEND_BOUND_H

#include "tests/kam/cpu/cpu.h"

/* A kind of instructions, as `backend` has rows of: what is behind the two misses. */
struct backend_kind {
	const char *variant, *name; /* of rows; of the value, NULL: none */
	double entries;             /* that the misses themselves take of its structure */
	double fits;                /* instructions between the misses, at most */
	double others;              /* the same if its own structure had no end */
	double cycles;              /* that each of many takes */
};

/* The kinds that need no AVX-512, on this machine: returns how many were written. */
#define BACKEND_KINDS 10
unsigned backend_kinds(const struct cpu *, struct backend_kind out[BACKEND_KINDS]);

/*
 * Whether the instructions that the window holds take so long that it makes little difference
 * whether the second miss also waits for the first one.
 */
int backend_is_slow(const struct cpu *, const struct backend_kind *);

#endif
