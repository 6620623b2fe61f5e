/* SPDX-License-Identifier: MIT */
/* The lines that the judge prints, one for each thing judged, and how many were of each kind. */
#ifndef TESTS_KAM_JUDGE_TALLY_H
#define TESTS_KAM_JUDGE_TALLY_H

#include <stdbool.h>

struct tally {
	const char *room; /* put before each name; "" where the file has one run only */
	unsigned right, wrong, unresolved, excused, unmeasured;
};

/* A value that came, beside the one expected; wrong: what is wrong with it, NULL: right. */
void tally_value(struct tally *, const char *name, double expected, double got,
	const char *tolerance, const char *wrong);
/* "not resolved", though it can be seen. too_many: such values are wrong, see check.c. */
void tally_unresolved(struct tally *, const char *name, double expected, const char *reason,
	bool too_many);
/* A value that came back as "not resolved", as a rule and the machine's file say. */
void tally_excused(struct tally *, const char *name, const char *why);
void tally_unmeasured(struct tally *, const char *name);
/* A fault of something that has no number, with the reason. */
void tally_wrong(struct tally *, const char *name, const char *why, ...)
	__attribute__((format(printf, 3, 4)));
/* A number of things of which none was wrong. */
void tally_right(struct tally *, const char *name, unsigned n, const char *what);

#endif
