/* SPDX-License-Identifier: MIT */
/* Translations of code: how many the processor keeps, and what one costs that it does not. */
#ifndef PROBES_WALKS_CODE_H
#define PROBES_WALKS_CODE_H

#include "engine/bench.h"

/* Parts of the hooks of probe `walks`. */
void walks_code_plan(struct bench *);
void walks_code_plan_edges(struct bench *);
void walks_code_find(struct bench *);

#endif
