/* SPDX-License-Identifier: MIT */
/* The rows to be measured and how the time of a profile is shared among them. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "engine/probe_api.h"

#define PLAN_ROWS 6144

struct plan {
	struct row rows[PLAN_ROWS];
	bool left_out[PLAN_ROWS];
	unsigned n;
};

/* The parameter of a row that is measured once more: how often it was measured before. */
#define PARAM_AGAIN "again"

/*
 * Plans a row once more, unless it has been measured more than `most` times or the table is full:
 * whether it did. A row that was left out as a repeat is not planned again.
 */
bool plan_repeat(struct bench *, const struct row *, unsigned most);

/*
 * Leaves out rows of first..n-1 until the estimates of the rest fit into `ns`: the least
 * informative (highest rank) first, among those the costliest; rows too cheap to matter stay, but
 * of extra ones (RANK_EXTRA) only as long as they are cheap all together.
 * Returns the estimate of what is left in, in ns. Calls dropped(b, row) for each row that it leaves
 * out.
 */
double plan_fit(struct bench *, unsigned first, double ns,
	void (*dropped)(struct bench *, const struct row *));

/* How long row `at` may take, ns, when `left_ns` remain for rows at..n-1 of estimate `planned_ns`:
 * its own estimate and an equal share of what is not yet spoken for. */
double plan_share(const struct plan *, unsigned at, double left_ns, double planned_ns);

#endif
