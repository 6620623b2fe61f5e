/* SPDX-License-Identifier: MIT */
/* The parts of the probe `cores`. */
#ifndef PROBES_CORES_CORES_H
#define PROBES_CORES_CORES_H

#include "engine/cpu_tasks.h"

/*
 * The order in which CPUs are added: the measuring one, then one of each other core, then the
 * siblings. order[facts.cpus].
 */
void cores_order(const struct facts *, unsigned *order);

/* How near two CPUs are, in words; "" where it is not known. */
const char *cores_between(const struct facts *, unsigned a, unsigned b);

/* How many packages and cores the CPUs belong to; facts.topology must be known. */
unsigned cores_packages(const struct facts *);
unsigned cores_cores(const struct facts *);

void cores_plan_bounce(struct bench *);
void cores_plan_bandwidth(struct bench *);
void cores_meaning_bounce(struct bench *);
void cores_meaning_bandwidth(struct bench *);

#endif
