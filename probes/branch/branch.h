/* SPDX-License-Identifier: MIT */
/* The parts of the probe `branch`. */
#ifndef PROBES_BRANCH_BRANCH_H
#define PROBES_BRANCH_BRANCH_H

#include "engine/probe_api.h"

extern const struct unit unit_ns_branch; /* "ns/branch" */

#define BRANCH_RATIO 1.05 /* a predictor's capacity is known to 5 % */

/* The predictor's part of the probe: (c), (d) and period; that of the state machine: (b). */
extern const struct hooks branch_pattern, branch_states;

#endif
