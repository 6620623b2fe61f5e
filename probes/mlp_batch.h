/* SPDX-License-Identifier: MIT */
/* Part of probe `mlp`: Groot Koerkamp's batches over the whole sweep. */
#ifndef PROBES_MLP_BATCH_H
#define PROBES_MLP_BATCH_H

#include "engine/probe_api.h"

void mlp_batch_plan(struct bench *);

#endif
