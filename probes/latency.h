/* SPDX-License-Identifier: MIT */
/* What the main curve of probe `latency` shows: see latency_curve.c. */
#ifndef PROBES_LATENCY_H
#define PROBES_LATENCY_H

#include "engine/probe_api.h"

extern const char latency_curve[]; /* its variant */

/* The sizes of it to be measured next, in bytes: returns how many; 0: its edges are known. */
#define LATENCY_SIZES 32
unsigned latency_next_sizes(struct bench *, double next[LATENCY_SIZES]);

/* The hooks find_first and find. */
void latency_find_levels(struct bench *);
void latency_find(struct bench *);

/* The rows of latency_lists.c, and what they show in words. */
void latency_lists_plan(struct bench *);
void latency_lists_meaning(struct bench *);

#endif
