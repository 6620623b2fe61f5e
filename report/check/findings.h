/* SPDX-License-Identifier: MIT */
/*
 * What a result of a machine that nobody knows yet should make one suspicious of, from the result
 * alone: whether it is whole, whether the machine is what it says, and whether its values can stand
 * beside one another. docs/rent.md lists what each subject looks at.
 */
#ifndef REPORT_CHECK_FINDINGS_H
#define REPORT_CHECK_FINDINGS_H

#include "report/reading/results.h"

enum verdict {
	VERDICT_PASS, /* looked at, and nothing found */
	VERDICT_LOOK, /* to be explained before the run's values are believed */
	VERDICT_FAIL, /* cannot be so: the run, or a part of it, is not to be used */
};

struct finding {
	enum verdict verdict;
	const char *subject; /* "time stamps" */
	char *text;
	bool quotes_user; /* the text has what a user wrote, which may tell who he is */
};

struct findings {
	struct finding *list;
	size_t n;
};

/* Adds what was found in the run: for each subject that it has, at least one finding. */
void findings_of_run(struct findings *, const struct run_data *);

/*
 * Adds what two runs of one machine contradict one another in, in values that no room changes;
 * nothing where they are not of one machine.
 */
void findings_between(struct findings *, const struct run_data *, const struct run_data *);

void findings_free(struct findings *);

#endif
