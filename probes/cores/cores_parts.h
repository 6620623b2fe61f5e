/* SPDX-License-Identifier: MIT */
/* Memory for the CPUs of a row: a part each, on its own node or one other, too large for caches. */
#ifndef PROBES_CORES_CORES_PARTS_H
#define PROBES_CORES_CORES_PARTS_H

#include "engine/probe_api.h"

/*
 * So many times its last cache all CPUs that share one work on together: a cache that replaces at
 * random still holds exp(-4) of it, 2 %.
 */
#define PART_TIMES_CACHE 4

/* What one CPU of a row works on. */
struct part {
	unsigned cpu;
	unsigned char *base;
	uint64_t bytes; /* a multiple of 4 KiB */
};

/* Bytes for each last cache: PART_TIMES_CACHE times it, but 128 MiB at least (smoke: 32). */
uint64_t parts_domain_bytes(struct bench *);
/* Bytes of all parts of the first n CPUs in the order of cores_order; 0: no scratch memory. */
uint64_t parts_bytes(struct bench *, unsigned n);
/*
 * Gives the first n CPUs in that order a part each on its node; *apart, unless NULL, gets
 * apart->bytes more on the node of the first. 0, or -1 after job_skip.
 */
int parts_take(struct bench *, struct job *, unsigned n, struct part *, struct arena *apart);
/* Bytes of the parts of all CPUs of a node, and how many they are; 0: no scratch memory. */
uint64_t parts_bytes_of_node(struct bench *, uint32_t cpu_node, unsigned *cpus);
/* Gives the n CPUs of a node a part each in memory of one node. 0, or -1 after job_skip. */
int parts_take_of_node(struct bench *, struct job *, uint32_t cpu_node, uint32_t memory_node,
	unsigned n, struct part *);

#endif
