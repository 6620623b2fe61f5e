/* SPDX-License-Identifier: MIT */
/* What was found wrong with an input: file, line and reason. */
#ifndef REPORT_READING_PROBLEMS_H
#define REPORT_READING_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum severity {
	SEVERITY_NOTE,   /* worth knowing: the run was interrupted, thinned, ... */
	SEVERITY_DAMAGE, /* something is missing or wrong; the rest can be used */
};

struct problem {
	enum severity severity;
	unsigned long line; /* from 1; 0: the file as a whole */
	char text[160];
};

#define PROBLEMS_KEPT 20

struct problems {
	struct problem kept[PROBLEMS_KEPT]; /* the first ones */
	unsigned long all;                  /* how many there were */
	bool damage;                        /* at least one was SEVERITY_DAMAGE */
};

void problem_add(struct problems *, enum severity, unsigned long line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* One line each: "FILE:LINE: reason". */
void problems_print(const struct problems *, const char *file, FILE *out);

#endif
