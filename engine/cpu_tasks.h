/* SPDX-License-Identifier: MIT */
/* Work on several processors, begun at the same time. */
#ifndef ENGINE_CPU_TASKS_H
#define ENGINE_CPU_TASKS_H

#include "engine/probe_api.h"

/*
 * A piece of work for one CPU, which sets `ready` when it has started and then waits until *go is
 * not 0 or CPU_TASK_WAIT_NS have passed.
 */
struct cpu_task {
	struct bench *b;
	unsigned cpu;
	volatile uint64_t ready;
	const volatile uint64_t *go;
	void (*work)(struct cpu_task *);
	void *arg;
};

/* The most time for a CPU to start, and to finish. A CPU that is late is an error of the row. */
#define CPU_TASK_WAIT_NS 5e9

/*
 * Starts tasks[1..n-1] on their CPUs and waits until all are ready; then lets all begin at once,
 * does the work of tasks[0] here, and waits for the others. 0, or -1 after job_skip, which names
 * the CPU that failed.
 */
int cpu_tasks_run(struct job *, struct cpu_task *tasks, unsigned n, volatile uint64_t *go);

/* A task's `work` for a CPU that only starts the others and waits for them. */
void cpu_task_nothing(struct cpu_task *);

#endif
