/* SPDX-License-Identifier: MIT */
/* The parts of the probe `branch`, and what its loops return, in plain C. */
#ifndef PROBES_BRANCH_BRANCH_H
#define PROBES_BRANCH_BRANCH_H

#include "engine/probe_api.h"

extern const struct unit unit_ns_branch; /* "ns/branch" */

/* loop_branch_copy and its kin: digest of the n bytes that were copied. */
uint64_t branch_digest(const unsigned char *bytes, uint64_t n);

/* The rows of each file. */
void branch_pattern_plan(struct bench *); /* (b), (c) and (d): what the predictor does */
void branch_code_plan(struct bench *);    /* (e) and (f): generated code */

/* Further rows where the curves of these end. */
#define BRANCH_RATIO 1.05 /* a predictor's capacity is known to 5 % */
void branch_pattern_plan_edges(struct bench *);
void branch_code_plan_edges(struct bench *);

/* What is inferred from them. */
void branch_pattern_find(struct bench *);
void branch_code_find(struct bench *);

/* What they show beyond that, in words. */
void branch_pattern_meaning(struct bench *);

/*
 * branch_code.c writes x86-64 code of nothing but jumps, calls and returns (Intel SDM vol. 2: EB,
 * E9, E8, C3). Offsets count from the start of the block.
 */
struct code {
	unsigned char *base;
	size_t capacity, at;
	bool full; /* something did not fit: the block must not be run */
};

/* Where the code proper starts in it; offset 0 is a lone return, the twin without work. */
#define CODE_ENTRY 64

/* In code_targets: where the lone return is, in which the jumps end. */
#define CODE_RETURN 8

#endif
