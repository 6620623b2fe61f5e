/* SPDX-License-Identifier: MIT */
/* What the loops of the probe `limits` return, in plain C; for the probe and its test. */
#ifndef PROBES_LIMITS_H
#define PROBES_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/loops/loops.h"

#define LIMITS_WORDS 32 /* that a loop may read or write; its argument is the middle of them */

/* What a loop computes in twelve registers. */
enum limits_sum {
	SUM_NOTHING,
	SUM_ADDED,      /* 1, 2, 3 ...: 1 more at each step */
	SUM_MULTIPLIED, /* three times as much */
	SUM_SHIFTED,    /* twice */
	SUM_VECTOR,     /* the same as ADDED, from 0 */
	SUM_DOUBLES,    /* the bits of doubles, likewise */
	SUM_ADDRESSES,  /* six times n and the address */
};

/* A kind of instruction: two loops of it, of which one has more of them in a turn. */
struct limits_kind {
	const char *variant, *rests_on;
	loop_fn *less, *more;
	unsigned rounds_less, rounds_more; /* of twelve; a turn has eleven besides */
	unsigned apart;                    /* instructions of a turn, from one to the other */
	uint32_t needs;                    /* enum need */
	enum limits_sum sum;
	/* Words of which the last load is in the value, each so many times. */
	unsigned times, loads;
	uint8_t load[4];
	/* Words stored to, and those of them that are in the value. */
	unsigned stores_from, stores;
	uint8_t stored[2];
	bool stores_n; /* else the pattern */
};

extern const struct limits_kind limits_kinds[];
extern const unsigned limits_kind_count;

/* What the longer or the shorter loop of a kind returns; writes to words what it stores there. */
uint64_t limits_value(const struct limits_kind *, bool more, uint64_t n, uint64_t *words,
	uint64_t pattern);

#endif
