/* SPDX-License-Identifier: MIT */
/* What a stated machine must be found to be: the truth behind each summary line, and how near. */
#ifndef TESTS_KAM_JUDGE_DECLARE_H
#define TESTS_KAM_JUDGE_DECLARE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/kam/cpu/cpu.h"

struct declared {
	const char *name; /* of the summary line */
	double value;     /* the truth */
	double low, high; /* accepted */
	bool bracketed;   /* the summary's own bracket must hold the truth, less `slack` */
	double slack;     /* entries that the measuring loop itself takes */
	double widest;    /* bracket, high over low; 0: not asked */
	double claimed;   /* what CPUID must have been quoted with; NAN: not asked */
	const char *tolerance;
	const char
		*unresolved;  /* only "not resolved" is right, for this reason; NULL: it is wrong */
	const char *doubtful; /* "not resolved" is right as well, for this reason */
};

#define DECLARED 64

/* grid: factor from one size of a sweep to the next, above 1. Returns how many. */
size_t declare(const struct cpu *, double grid, struct declared out[DECLARED]);

#endif
