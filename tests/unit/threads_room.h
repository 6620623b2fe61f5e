/* SPDX-License-Identifier: MIT */
/* Three CPUs of a room as threads, and a clock for them. */
#ifndef TESTS_UNIT_THREADS_ROOM_H
#define TESTS_UNIT_THREADS_ROOM_H

#include <pthread.h>
#include <x86intrin.h>

#include "engine/room.h"

#define CPUS 3

static __thread unsigned here; /* the CPU that this thread is */

struct errand {
	pthread_t thread;
	unsigned cpu;
	void (*fn)(void *);
	void *arg;
};

static struct errand errands[CPUS];

static void *errand_main(void *arg)
{
	struct errand *e = arg;

	here = e->cpu;
	e->fn(e->arg);
	return NULL;
}

static int run_on(struct room *e, unsigned cpu, void (*fn)(void *), void *arg)
{
	errands[cpu] = (struct errand){ .cpu = cpu, .fn = fn, .arg = arg };
	return pthread_create(&errands[cpu].thread, NULL, errand_main, &errands[cpu]);
}

static int run_wait(struct room *e, unsigned cpu)
{
	return pthread_join(errands[cpu].thread, NULL);
}

/* Slower than any machine is busy: no patience ends here. */
static uint64_t slow_now(struct room *e)
{
	return __rdtsc() / 40;
}

#endif
