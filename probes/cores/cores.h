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

/* The node of a CPU; NODE_UNKNOWN. */
uint32_t cores_node(const struct facts *, unsigned cpu);

/* Whether two CPUs share the last cache; where it is not known, those of one die do. */
bool cores_share_cache(const struct facts *, unsigned a, unsigned b);

/* How many packages and cores the CPUs belong to; facts.topology must be known. */
unsigned cores_packages(const struct facts *);
unsigned cores_cores(const struct facts *);

/* The parts of the probe: rows, and what they show. */
void cores_plan_bounce(struct bench *);
void cores_plan_each(struct bench *);
void cores_plan_nodes(struct bench *);
void cores_plan_bandwidth(struct bench *);
void cores_plan_loaded(struct bench *);
void cores_meaning_bounce(struct bench *);
void cores_meaning_each(struct bench *);
void cores_meaning_nodes(struct bench *);
void cores_meaning_bandwidth(struct bench *);
void cores_meaning_loaded(struct bench *);

/* All CPUs of a node read memory of one: its variant, and a row of it. */
extern const char cores_node_read_all[];
void cores_add_node_read_all(struct bench *, uint32_t cpu_node, uint32_t memory_node,
	unsigned drop_order);
/* A row has the numbers of its nodes where they are known. */
void cores_node_params(struct row *, uint32_t cpu_node, uint32_t memory_node);

/* The row of a number of CPUs, or NULL. */
const struct result *cores_with_cpus(const struct bench *, const char *variant, unsigned cpus);
/* 1, 2, 4 ... and all; n is then more than all. */
unsigned cores_next_count(unsigned n, unsigned all);
/* One CPU and all of them tell most; the steps between come after. */
unsigned cores_step_drop_order(const struct bench *, unsigned cpus, unsigned drop_order);

#endif
