/* SPDX-License-Identifier: MIT */
/*
 * What Linux can do against noise, for some milliseconds at a time, and back again (room.remedy).
 *
 * A real-time thread stops all ordinary work of its processor. It keeps to 20 ms here, then gives
 * way, so that neither the limit of sched_rt_runtime_us (950 ms of each second, before Linux 6.12
 * in force where nobody else waits, too) nor another thread's patience is met.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "linux/hosted.h"
#include "linux/sysfs.h"

static int refuse(struct remedies *r, const char *name, const char *grants)
{
	if (errno == EPERM || errno == EACCES)
		snprintf(r->why, sizeof(r->why), "%s: not permitted, needs %s", name, grants);
	else
		snprintf(r->why, sizeof(r->why), "%s: %s", name, strerror(errno));
	return -1;
}

/* To all the CPUs that the process had when it began. */
static int unpin(const struct hosted *h)
{
	unsigned most = 0;
	for (unsigned i = 0; i < h->room.facts.cpus; i++)
		most = h->topology[i].id > most ? h->topology[i].id : most;
	cpu_set_t *set = CPU_ALLOC(most + 1);
	size_t bytes = CPU_ALLOC_SIZE(most + 1);
	if (!set)
		return -1;
	CPU_ZERO_S(bytes, set);
	for (unsigned i = 0; i < h->room.facts.cpus; i++)
		CPU_SET_S(h->topology[i].id, bytes, set);
	int failed = sched_setaffinity(0, bytes, set);
	CPU_FREE(set);
	return failed;
}

/* Who has no privilege cannot take SCHED_RESET_ON_FORK back: it stays. */
static int set_policy(int policy)
{
	int now = sched_getscheduler(0);
	bool real_time = (policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
	struct sched_param param = { .sched_priority = real_time };
	if (now < 0)
		return -1;
	policy |= now & SCHED_RESET_ON_FORK;
	return policy == now ? 0 : sched_setscheduler(0, policy, &param);
}

/* Of the thread, and of its session's group: there where this is first, else as it was. */
static int set_nice(struct hosted *h, int nice)
{
	struct autogroup *g = &h->scheduling.autogroup;
	if (getpriority(PRIO_PROCESS, 0) != nice && setpriority(PRIO_PROCESS, 0, nice))
		return -1;
	return autogroup_set(g, "", nice == FIRST ? FIRST : g->nice_at_start);
}

/* A signal that ended the process now would leave turbo off: it waits. */
static void hold_signals(struct remedies *r)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, &r->signals);
}

static void keep(struct remedies *r)
{
	if (r->kept)
		return;
	r->policy = sched_getscheduler(0);
	r->nice = getpriority(PRIO_PROCESS, 0);
	pthread_sigmask(SIG_SETMASK, NULL, &r->signals);
	r->turbo = (struct clock_setting){ 0 };
	r->kept = true;
}

static int apply(struct hosted *h, uint32_t remedies)
{
	struct remedies *r = &h->remedies;
	bool fifo = remedies & REMEDY_FIFO, first = remedies & REMEDY_NICE;
	if (h->room.facts.cpus < 2 && remedies & (REMEDY_PINNED | REMEDY_FIFO)) {
		snprintf(r->why, sizeof(r->why), "%s",
			fifo ? "only one CPU: a real-time thread would stop all other work"
			     : "only one CPU: it is pinned in any case");
		return -1;
	}
	if (remedies & REMEDY_PINNED ? pin_to(h->scheduling.cpu) : unpin(h))
		return refuse(r, "affinity", "these CPUs in its cpuset");
	if (set_policy(fifo ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER))
		return refuse(r, "SCHED_FIFO", "CAP_SYS_NICE or `ulimit -r 1`");
	if (set_nice(h, first ? FIRST : h->scheduling.nice_at_start))
		return refuse(r, "nice -20", "CAP_SYS_NICE or `ulimit -e 40`");
	if (!(remedies & REMEDY_NO_TURBO))
		return 0;
	hold_signals(r);
	if (clock_setting_no_turbo(&r->turbo, CPU_DIR))
		return 0;
	snprintf(r->why, sizeof(r->why), "%.95s", r->turbo.why);
	return -1;
}

/* In the opposite order. What was had once can be had again. */
static void hosted_remedy_end(struct room *room)
{
	struct hosted *h = hosted_of(room);
	struct remedies *r = &h->remedies;
	if (!r->kept)
		return;
	unsigned lost = clock_setting_restore(&r->turbo);
	pthread_sigmask(SIG_SETMASK, &r->signals, NULL);
	lost += set_nice(h, r->nice) != 0;
	lost += set_policy(r->policy) != 0;
	lost += pin_to(h->scheduling.cpu) != 0;
	r->kept = false;
	if (lost)
		output_note(h,
			"note: %u setting(s) of this process or of turbo did not come back\n",
			lost);
}

static int hosted_remedy(struct room *room, uint32_t remedies, const char **why)
{
	struct hosted *h = hosted_of(room);
	hosted_remedy_end(room);
	keep(&h->remedies);
	if (!apply(h, remedies))
		return 0;
	hosted_remedy_end(room);
	*why = h->remedies.why;
	return -1;
}

void remedies_init(struct hosted *h)
{
	h->room.remedy = hosted_remedy;
	h->room.remedy_end = hosted_remedy_end;
}
