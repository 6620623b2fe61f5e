/* SPDX-License-Identifier: MIT */
/*
 * What the predictor makes of the lists of `indirect`: it is given the jumps, calls and returns of
 * such a list alone.
 */
#ifndef TESTS_KAM_JUDGE_INDIRECT_ORACLE_H
#define TESTS_KAM_JUDGE_INDIRECT_ORACLE_H

#include <stdbool.h>

#include "tests/kam/cpu/cpu.h"

/* As probes/indirect.c has them. */
#define INDIRECT_FEW   2 /* targets of a sequence */
#define INDIRECT_MANY  64
#define INDIRECT_FRESH 2048 /* elements of a list that is new each time */
#define INDIRECT_FROM  16   /* elements of one */
#define INDIRECT_TO    8192 /* and targets in a fixed order */
#define RETURNS_DEEP   96   /* nested calls that a return stack does not hold */
#define RETURNS_MOST   192

struct indirect_list {
	bool once;   /* each target once, else drawn at random */
	bool nested; /* as many calls as a period has elements are nested */
	bool fresh;  /* never the same again */
	bool known;  /* it is the list of a row, drawn by this seed; else another one */
	unsigned targets, period;
	uint64_t seed;
};

/* Of each element, in a list that was gone through often. */
struct indirect_shares {
	double wrong;   /* jumps whose target was not predicted, */
	double returns; /* and returns */
	double late;    /* branches whose target was known at decode only, */
	double soon;    /* or to the second level */
};

struct indirect_shares indirect_shares(const struct cpu *, const struct indirect_list *);
/* Elements of a list: it has its period several times. */
double indirect_elements(const struct indirect_list *);
/*
 * The last period (of `once`: number of targets) of which less is lost than this part of what is
 * lost in the end. NAN: at the shortest it is more; INFINITY: at the longest less.
 */
double indirect_edge(const struct cpu *, bool once, unsigned targets, double part);
/* Whether the past does not tell all elements of a sequence apart: it is lost gradually. */
bool indirect_is_soft(const struct cpu *, bool once, unsigned targets);
/* Of nested calls beyond the return stack the share whose return is not predicted. */
double indirect_returns(const struct cpu *, bool fresh);
/* Core cycles that a misprediction costs: each waits for the load of where it goes. */
double indirect_miss(const struct cpu *);
double return_miss(const struct cpu *);

#endif
