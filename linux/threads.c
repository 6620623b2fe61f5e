/* SPDX-License-Identifier: MIT */
/* The other processors: a thread for each call, pinned before it begins. */
#include <stdlib.h>

#include "linux/hosted.h"

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	w->failed = pin_to(w->cpu) != 0;
	if (!w->failed)
		w->fn(w->arg);
	return NULL;
}

static struct worker *worker_of(struct room *room, unsigned cpu)
{
	struct hosted *h = hosted_of(room);
	return cpu > 0 && cpu < room->facts.cpus ? &h->workers[cpu] : NULL;
}

static int hosted_run_on(struct room *room, unsigned cpu, void (*fn)(void *), void *arg)
{
	struct worker *w = worker_of(room, cpu);
	if (!w || w->running)
		return -1;
	*w = (struct worker){ .cpu = room->facts.topology[cpu].id, .fn = fn, .arg = arg };
	w->running = pthread_create(&w->thread, NULL, worker_main, w) == 0;
	return w->running ? 0 : -1;
}

static int hosted_run_wait(struct room *room, unsigned cpu)
{
	struct worker *w = worker_of(room, cpu);
	if (!w || !w->running)
		return -1;
	w->running = false;
	return pthread_join(w->thread, NULL) || w->failed ? -1 : 0;
}

void threads_init(struct hosted *h)
{
	h->workers = calloc(h->room.facts.cpus, sizeof(*h->workers));
	if (!h->workers)
		return; /* no other processor can be used: rows that need one are skipped */
	h->room.run_on = hosted_run_on;
	h->room.run_wait = hosted_run_wait;
}
