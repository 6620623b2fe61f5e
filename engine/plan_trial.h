/* SPDX-License-Identifier: MIT */
/* Plans that are made only to see what there would be. */
#ifndef ENGINE_PLAN_TRIAL_H
#define ENGINE_PLAN_TRIAL_H

#include "engine/plan.h"

/*
 * The most that all rows asked for may take, ns, and their number. They are planned with the levels
 * that CPUID claims, and then forgotten. Only before anything is planned. Rows of bisection are not
 * among them.
 */
double plan_estimate(struct bench *, unsigned *rows);

/* A name that was asked for and has no row. */
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
