/* SPDX-License-Identifier: MIT */
/* The parts of the probe `branch`, and what its loops return, in plain C. */
#ifndef PROBES_BRANCH_BRANCH_H
#define PROBES_BRANCH_BRANCH_H

#include "engine/probe_api.h"

extern const struct unit unit_ns_branch; /* "ns/branch" */

/* loop_branch_copy and its kin: digest of the n bytes that were copied. */
uint64_t branch_digest(const unsigned char *bytes, uint64_t n);
/* loop_branch_states: stays minus moves of the two-state machine. */
uint64_t branch_states_value(const unsigned char *bytes, uint64_t n);
/* loop_branch_walk: bytes that are not 0 minus bytes that are. */
uint64_t branch_walk_value(const unsigned char *bytes, uint64_t n);
/* loop_branch_bits: ones minus zeros of n words. */
uint64_t branch_bits_value(const uint64_t *words, uint64_t n);

/* n bytes of 0 or 1, each by a fair coin. */
void branch_fill_coins(struct random *, unsigned char *bytes, uint64_t n);

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

/* Starts a block in `capacity` bytes of writable memory. */
struct code code_begin(void *base, size_t capacity);
void code_return(struct code *);
/* To offset `target`, which need not be written yet; five bytes each. */
void code_jump(struct code *, size_t target);
void code_call(struct code *, size_t target);
/* Fills with int3 up to offset `at`; execution must never come there. */
void code_pad(struct code *, size_t at);

/* Bytes that code_calls needs. */
size_t code_calls_bytes(uint64_t depth);

/* Where the code proper starts in it; offset 0 is a lone return, the twin without work. */
#define CODE_ENTRY 64

/* In code_targets: where the lone return is, in which the jumps end. */
#define CODE_RETURN 8

/*
 * `jumps` taken jumps in as many slots of `spacing` (>= 16) bytes, from slot order[0] to order[1]
 * and so on, then a return. order[]: each of 0..jumps-1 once.
 */
void code_targets(struct code *, const uint32_t *order, uint64_t jumps, uint64_t spacing);
/* A function that calls a function ... `depth` deep (>= 1, itself included), 64 bytes apart. */
void code_calls(struct code *, uint64_t depth);

#endif
