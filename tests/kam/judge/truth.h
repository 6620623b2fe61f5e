/* SPDX-License-Identifier: MIT */
/*
 * A probe's truth: the rows and values that a simulated machine must give. Each probe has one,
 * truth_NAME in probes/NAME/NAME_truth.c; the judge walks those of probes/probes.inc.
 */
#ifndef TESTS_KAM_JUDGE_TRUTH_H
#define TESTS_KAM_JUDGE_TRUTH_H

#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/row_rules.h"

#define BY_GRID 0 /* the ratio is the profile's */

/*
 * The coarsest sweep of a parameter in any profile, docs/method.md: from one value to the next it
 * is `step`, or `ratio` of the value, whichever is more, and `widest` at most; 0: without end.
 * Values beyond `last` are not asked for; as many as the machine has room for are below.
 */
struct sweep {
	const char *variant, *param;
	double first, last, step, ratio, widest;
	const char *level;     /* of its rows; NULL: none */
	bool usual_pages_only; /* with other pages it is coarser */
	bool distance_varies;  /* rows of one curve need not have one distance */
};

/* The unit of rows whose variant begins so. */
struct row_unit {
	const char *variant, *unit;
};

struct truth {
	const char *none; /* why the machine knows nothing of this probe; else NULL, and some of: */
	const struct row_rule *rules;
	size_t rule_count;
	void (*rows)(const struct judged *);    /* judges what no rule of one row can */
	void (*expect)(struct expected_list *); /* adds the values of the summary */
	const struct sweep *sweeps;             /* ended by one without a variant */
	const char *const *levels;    /* variants with a row of each level; ended by NULL */
	const struct row_unit *units; /* single variants first; ended by one without a unit */
	const char *over_all_samples; /* the statistics of rows whose variant begins so */
};

#define RULES(array) .rules = (array), .rule_count = sizeof(array) / sizeof(*(array))

struct probe_truth {
	const char *probe;
	const struct truth *truth;
};

/* The truths, in the order of probes/probes.inc. */
extern const struct probe_truth truths[];
extern const size_t truth_count;

/* Returns the truth of a probe; NULL: no such probe. */
const struct truth *truth_of(const char *probe);

#endif
