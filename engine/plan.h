/* SPDX-License-Identifier: MIT */
/* The rows to be measured and how the time of a profile is shared among them. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/probe_api.h"
#include "engine/bench.h"

#define PLAN_ROWS 6144

struct plan {
	struct row rows[PLAN_ROWS];
	bool left_out[PLAN_ROWS], done[PLAN_ROWS];
	unsigned n;
	bool tried; /* only to see what there would be */
	bool parts; /* any answer may lose some of its rows: those of a bisection, repeats */
	double row_most_ns; /* a row of a CORE answer that costs more waits; 0: any may cost all */
	unsigned beyond[ANSWERS]; /* rows that belong to a larger profile, by answer */
};

/* The parameter of a row that is measured once more: how often it was measured before. */
#define PARAM_AGAIN "again"

/* "latency against size, and of each level" */
const char *answer_text(enum answer);

/*
 * Plans a row once more. false: it has been measured more than `most` times already, or the table
 * is full. A repeat that was left out does not count as a measurement.
 */
bool plan_repeat(struct bench *, const struct row *, unsigned most);

/*
 * Leaves out rows of first..n-1 that are not done until the estimates of the rest fit into `ns`.
 * Answers are taken in their order, each whole or not at all; a core answer (answers.inc), or any
 * where plan->parts says so, loses its costliest rows instead. Until plan->row_most_ns is 0, a core
 * answer loses the rows that take more than that as well, and all have a part of the time only.
 * Returns the estimate of what is left in, in ns.
 */
double plan_fit(struct plan *, unsigned first, double ns);

/*
 * Of the rows of first..n-1 that are left out, the most informative one and of those the cheapest;
 * plan->n: there is none.
 */
unsigned plan_most_wanted(const struct plan *, unsigned first);

/* Plans again those of first..n-1 that were left out. false: there are none. */
bool plan_bring_back(struct plan *, unsigned first);

/* Whether anything of a probe was asked for, by the settings `probes` and `source`. */
bool probe_asked_for(const struct options *, const struct probe *);

#define PLAN_ENDLESS 1e24 /* ns: where as much is left, a row has enough, and no more */

/*
 * How long row `at` may take, ns. `left_ns` remain for the rows of first..n-1 that are not done;
 * their estimates add up to `planned_ns`. A row gets its own estimate and an equal share of what
 * the estimates leave; where rows were left out, at most what is enough for it. A cheap row gets
 * enough in any case.
 */
double plan_share(const struct plan *, unsigned first, unsigned at, double left_ns,
	double planned_ns);

/*
 * The most that all rows asked for may take, ns, and their number. They are planned with the levels
 * that CPUID claims, and then forgotten. Only before anything is planned. Rows of bisection are not
 * among them.
 */
double plan_estimate(struct bench *, unsigned *rows);

/* What was asked for, and no row is of. */

struct unplanned {
	const char *name; /* the first "probe:variant" of options.probes that no row has, or NULL */
	size_t n;         /* its length */
	bool any;         /* some row is planned */
};

/*
 * Before a run: plans what was asked for, with the caches that CPUID claims, and measures none of
 * it. Where nothing can be planned (no memory), the run says why: name is NULL, any is true.
 */
struct unplanned selection_unplanned(struct room *, const struct options *);

#endif
