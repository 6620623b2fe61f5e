/* SPDX-License-Identifier: MIT */
/* Shares the time of a profile among the rows of a plan. */
#ifndef ENGINE_PLAN_TIME_H
#define ENGINE_PLAN_TIME_H

#include "engine/plan.h"

/* Enough for a row, times its estimate, which is for the fewest samples: more than 15 of them. */
#define PLAN_ENOUGH 3

/*
 * Takes note of how long a row took, in ns, until it had the fewest samples: its estimate is for as
 * much. plan_cost multiplies the estimates of the rows to come by what those of their answer took
 * beyond theirs and, as long as there is little of these, those of all answers.
 */
void plan_learn(struct plan *, const struct row *, double took_ns);
/* Returns the estimate for a row, in ns, by what others took so far. */
double plan_cost(const struct plan *, const struct row *);

/*
 * Leaves out rows of first..n-1 that are not done until the estimates of the rest fit into `ns`.
 * Answers are taken in their order, each whole or not at all; a core answer (answers.inc), with
 * `parts` any, loses its costliest rows instead. Unless row_most_ns is 0, a core answer also loses
 * the rows that take more than that, and all core answers have a part of the time only. Returns the
 * estimate of what is left in, in ns.
 */
double plan_fit(struct plan *, unsigned first, double ns, double row_most_ns, bool parts);

/*
 * Returns the most informative of the rows of first..n-1 that are left out, and of equal ones the
 * cheapest; plan->n: none is left out.
 */
unsigned plan_most_wanted(const struct plan *, unsigned first);

/* Plans again those of first..n-1 that were left out. false: there are none. */
bool plan_bring_back(struct plan *, unsigned first);

#define PLAN_ENDLESS 1e24 /* ns: where as much is left, a row has enough, and no more */

/*
 * Returns the time that row `at` may take, ns. `left_ns` remain for the rows of first..n-1 that are
 * not done; their estimates add up to `planned_ns`. A row gets its own estimate and an equal share
 * of what the estimates leave; where rows were left out, at most what is enough for it. A cheap row
 * gets enough in any case.
 */
double plan_share(const struct plan *, unsigned first, unsigned at, double left_ns,
	double planned_ns);

#endif
