/* SPDX-License-Identifier: MIT */
/* The parts of the probe `branch`, and what its loops return, in plain C. */
#ifndef PROBES_BRANCH_BRANCH_H
#define PROBES_BRANCH_BRANCH_H

#include "engine/probe_api.h"

extern const struct unit unit_ns_branch; /* "ns/branch" */

/* The rows of each file. */
void branch_pattern_plan(struct bench *); /* (b), (c) and (d): what the predictor does */

/* Further rows where the curves of these end. */
#define BRANCH_RATIO 1.05 /* a predictor's capacity is known to 5 % */
void branch_pattern_plan_edges(struct bench *);

/* What is inferred from them. */
void branch_pattern_find(struct bench *);

/* What they show beyond that, in words. */
void branch_pattern_meaning(struct bench *);

#endif
