/* SPDX-License-Identifier: MIT */
/*
 * What Linux can do against noise, for some milliseconds at a time, and back again
 * (room.system.remedy).
 *
 * A real-time thread stops all ordinary work of its processor. It keeps to 20 ms here, then gives
 * way, so that neither the limit of sched_rt_runtime_us (950 ms of each second, before Linux 6.12
 * in force where nobody else waits, too) nor another thread's patience is met.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "linux/hosted.h"
#include "linux/sysfs.h"

#define IRQ_DIR "/proc/irq"

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

/* A signal that ended the process now would leave turbo off, or interrupts moved: it waits. */
static void hold_signals(struct remedies *r)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, &r->signals);
}

static int ascending(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

/* All CPUs but the measuring one as Linux lists them: "0,2-5". */
static void other_cpus(const struct hosted *h, char out[64])
{
	unsigned n = 0, ids[256];
	for (unsigned i = 0; i < h->room.facts.cpus && n < 256; i++)
		if (h->topology[i].id != h->scheduling.cpu)
			ids[n++] = h->topology[i].id;
	qsort(ids, n, sizeof(*ids), ascending);
	*out = 0;
	for (unsigned i = 0, end; i < n; i = end) {
		size_t used = strlen(out);
		for (end = i + 1; end < n && ids[end] == ids[end - 1] + 1; end++)
			;
		snprintf(out + used, 64 - used, end - i > 1 ? "%s%u-%u" : "%s%u", i ? "," : "",
			ids[i], ids[end - 1]);
	}
}

/*
 * Interrupts of devices that may come to the measuring CPU go to the others. Some cannot be moved;
 * it counts as done if any could.
 */
static int move_irqs(struct hosted *h, const char *dir)
{
	struct remedies *r = &h->remedies;
	char others[64], path[PATH_MAX], now[256];
	DIR *irqs = opendir(dir);
	bool any = false;
	other_cpus(h, others);
	snprintf(r->irqs.why, sizeof(r->irqs.why), "no interrupt comes to CPU %u",
		h->scheduling.cpu);
	for (struct dirent *e = irqs ? readdir(irqs) : NULL; e; e = readdir(irqs)) {
		snprintf(path, sizeof(path), "%s/%s/smp_affinity_list", dir, e->d_name);
		if (*e->d_name == '.' || !read_line(path, now, sizeof(now)) ||
			!list_has(now, h->scheduling.cpu))
			continue;
		any |= clock_setting_change(&r->irqs, path, others);
	}
	if (irqs)
		closedir(irqs);
	if (!any)
		snprintf(r->why, sizeof(r->why), "%.95s", r->irqs.why);
	return any ? 0 : -1;
}

static void keep(struct remedies *r)
{
	if (r->kept)
		return;
	r->policy = sched_getscheduler(0);
	r->nice = getpriority(PRIO_PROCESS, 0);
	pthread_sigmask(SIG_SETMASK, NULL, &r->signals);
	r->turbo = r->irqs = (struct clock_setting){ 0 };
	r->kept = true;
}

static int apply(struct hosted *h, uint32_t remedies)
{
	struct remedies *r = &h->remedies;
	bool fifo = remedies & REMEDY_FIFO, first = remedies & REMEDY_NICE;
	if (h->room.facts.cpus < 2 && remedies & (REMEDY_PINNED | REMEDY_FIFO | REMEDY_IRQS)) {
		snprintf(r->why, sizeof(r->why), "%s",
			fifo ? "only one CPU: a real-time thread would stop all other work"
				: remedies & REMEDY_IRQS
				? "only one CPU: interrupts have nowhere else to go"
				: "only one CPU: it is pinned in any case");
		return -1;
	}
	if (remedies & REMEDY_PINNED ? pin_to(h->scheduling.cpu) : unpin(h))
		return refuse(r, "affinity", "these CPUs in its cpuset");
	if (set_policy(fifo ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER))
		return refuse(r, "SCHED_FIFO", "CAP_SYS_NICE or `ulimit -r 1`");
	if (set_nice(h, first ? FIRST : h->scheduling.nice_at_start))
		return refuse(r, "nice -20", "CAP_SYS_NICE or `ulimit -e 40`");
	if (remedies & (REMEDY_NO_TURBO | REMEDY_IRQS))
		hold_signals(r);
	if (remedies & REMEDY_IRQS && move_irqs(h, IRQ_DIR))
		return -1;
	if (!(remedies & REMEDY_NO_TURBO))
		return 0;
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
	unsigned lost = clock_setting_restore(&r->turbo) + clock_setting_restore(&r->irqs);
	pthread_sigmask(SIG_SETMASK, &r->signals, NULL);
	lost += set_nice(h, r->nice) != 0;
	lost += set_policy(r->policy) != 0;
	lost += pin_to(h->scheduling.cpu) != 0;
	r->kept = false;
	if (lost)
		hosted_note(h,
			"note: %u setting(s) of this process, turbo or interrupts did not come "
			"back\n",
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
	h->room.system.remedy = hosted_remedy;
	h->room.system.remedy_end = hosted_remedy_end;
}
