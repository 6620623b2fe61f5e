/* SPDX-License-Identifier: MIT */
#include "engine/cpu_tasks.h"

static bool waited_too_long(struct bench *b, uint64_t since)
{
	return ticks_to_ns(b, (double)(b->env->now(b->env) - since)) > CPU_TASK_WAIT_NS;
}

static void begin(void *arg)
{
	struct cpu_task *c = arg;
	uint64_t since = c->b->env->now(c->b->env);

	c->ready = 1;
	while (!*c->go)
		if (waited_too_long(c->b, since))
			return;
	c->work(c);
}

/* -1: one of the first n did not come; *who says which. */
static int all_ready(struct cpu_task *crew, unsigned n, unsigned *who)
{
	uint64_t since = crew->b->env->now(crew->b->env);

	for (unsigned i = 1; i < n; i++) {
		while (!crew[i].ready) {
			if (waited_too_long(crew->b, since)) {
				*who = crew[i].cpu;
				return -1;
			}
		}
	}
	return 0;
}

int cpu_tasks_run(struct job *job, struct cpu_task *crew, unsigned n, volatile uint64_t *go)
{
	struct env *env = crew->b->env;
	unsigned started = 1, failed = 0;
	int bad = 0;

	*go = 0;
	for (; started < n && !bad; started++) {
		crew[started].ready = 0;
		crew[started].go = go;
		bad = env->run_on(env, crew[started].cpu, begin, &crew[started]);
		if (bad)
			failed = crew[started].cpu;
	}
	started -= bad != 0;
	if (!bad)
		bad = all_ready(crew, n, &failed);
	*go = 1;
	if (!bad)
		crew[0].work(&crew[0]);
	for (unsigned i = 1; i < started; i++) {
		if (env->run_wait(env, crew[i].cpu) && !bad) {
			bad = -1;
			failed = crew[i].cpu;
		}
	}
	return bad ? job_skip(job, "CPU %u did not answer", failed) : 0;
}
