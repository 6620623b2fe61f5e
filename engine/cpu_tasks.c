/* SPDX-License-Identifier: MIT */
#include "engine/cpu_tasks.h"

static bool waited_too_long(struct bench *b, uint64_t since)
{
	return ticks_to_ns(b, (double)(b->room->now(b->room) - since)) > CPU_TASK_WAIT_NS;
}

static void begin(void *arg)
{
	struct cpu_task *c = arg;
	uint64_t since = c->b->room->now(c->b->room);

	c->ready = 1;
	while (!*c->go)
		if (waited_too_long(c->b, since))
			return;
	c->work(c);
}

/* Waits until tasks[1..n-1] are ready. 0; or -1 when one is late: its CPU is in *late. */
static int all_ready(struct cpu_task *tasks, unsigned n, unsigned *late)
{
	uint64_t since = tasks->b->room->now(tasks->b->room);

	for (unsigned i = 1; i < n; i++) {
		while (!tasks[i].ready) {
			if (waited_too_long(tasks->b, since)) {
				*late = tasks[i].cpu;
				return -1;
			}
		}
	}
	return 0;
}

void cpu_task_nothing(struct cpu_task *c)
{
}

int cpu_tasks_run(struct job *job, struct cpu_task *tasks, unsigned n, volatile uint64_t *go)
{
	struct room *room = tasks->b->room;
	unsigned started = 1, failed = 0;
	int bad = 0;

	*go = 0;
	for (; started < n && !bad; started++) {
		tasks[started].ready = 0;
		tasks[started].go = go;
		bad = room->run_on(room, tasks[started].cpu, begin, &tasks[started]);
		if (bad)
			failed = tasks[started].cpu;
	}
	started -= bad != 0;
	if (!bad)
		bad = all_ready(tasks, n, &failed);
	*go = 1;
	if (!bad)
		tasks[0].work(&tasks[0]);
	for (unsigned i = 1; i < started; i++) {
		if (room->run_wait(room, tasks[i].cpu) && !bad) {
			bad = -1;
			failed = tasks[i].cpu;
		}
	}
	return bad ? job_skip(job, "CPU %u did not answer", failed) : 0;
}
