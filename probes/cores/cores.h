/* SPDX-License-Identifier: MIT */
/* The kinds of rows of the probe `cores`. */
#ifndef PROBES_CORES_CORES_H
#define PROBES_CORES_CORES_H

struct bench;

void cores_plan_each(struct bench *);
void cores_plan_nodes(struct bench *);
void cores_plan_bandwidth(struct bench *);
void cores_plan_loaded(struct bench *);
/* Those of cores_bounce.c, and what they show in words. */
void cores_plan_bounce(struct bench *);
void cores_meaning_bounce(struct bench *);

#endif
