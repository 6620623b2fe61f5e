/* SPDX-License-Identifier: MIT */
/* What the probe `cores` needs of other processors: a call on each, begun together. */
#ifndef PROBES_CORES_H
#define PROBES_CORES_H

#include "probes/bench.h"

/*
 * A piece of work for one CPU. `ready` is set by that CPU when it is there; it then waits until
 * *go is not 0 or CORES_WAIT_NS have passed.
 */
struct crew {
	struct bench *b;
	unsigned cpu;
	volatile uint64_t ready;
	const volatile uint64_t *go;
	void (*work)(struct crew *);
	void *arg;
};

/* How long a CPU may take to come, and to finish; a CPU that is late is an error of the row. */
#define CORES_WAIT_NS 5e9

/*
 * Starts crew[1..n-1] on their CPUs, waits until all are there, lets all begin at once, does
 * crew[0]'s work here, and waits for the others. -1 after job_skip naming the CPU that failed.
 */
int crew_run(struct job *, struct crew *crew, unsigned n, volatile uint64_t *go);

/*
 * The order in which CPUs are added: the measuring one, then one of each other core, then the
 * siblings. order[facts.cpus].
 */
void cores_order(const struct facts *, unsigned *order);

void cores_plan_bounce(struct bench *);
void cores_plan_bandwidth(struct bench *);
void cores_meaning_bounce(struct bench *);
void cores_meaning_bandwidth(struct bench *);

#endif
