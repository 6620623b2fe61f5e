/* SPDX-License-Identifier: MIT */
/* What probes need of other processors: a call on each, begun together. */
#ifndef ENGINE_CPU_TASKS_H
#define ENGINE_CPU_TASKS_H

#include "engine/bench.h"

/*
 * A piece of work for one CPU. `ready` is set by that CPU when it is there; it then waits until
 * *go is not 0 or CPU_TASK_WAIT_NS have passed.
 */
struct cpu_task {
	struct bench *b;
	unsigned cpu;
	volatile uint64_t ready;
	const volatile uint64_t *go;
	void (*work)(struct cpu_task *);
	void *arg;
};

/* How long a CPU may take to come, and to finish; a CPU that is late is an error of the row. */
#define CPU_TASK_WAIT_NS 5e9

/*
 * Starts crew[1..n-1] on their CPUs, waits until all are there, lets all begin at once, does
 * crew[0]'s work here, and waits for the others. -1 after job_skip naming the CPU that failed.
 */
int cpu_tasks_run(struct job *, struct cpu_task *crew, unsigned n, volatile uint64_t *go);

#endif
