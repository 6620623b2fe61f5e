/* SPDX-License-Identifier: MIT */
/*
 * What Linux counts on each processor, from one look to the next: interrupts and softirqs by name,
 * context switches of the measuring thread, time taken by interrupts and by the hypervisor.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "linux/os_counters.h"

#define COUNTS_MOST 512 /* a machine has a few hundred lines; the rest are not looked at */

#define TIMES 3 /* kinds of time, which are never left out */

/* One look. */
struct look {
	struct counter_table interrupts, softirqs;
	struct cpu_times *times; /* [cpus] */
	bool times_known, switches_known, waited_known;
	uint64_t voluntary, involuntary, waited_ns;
};

static struct look before, after;

static void forget(struct look *l)
{
	counter_table_free(&l->interrupts);
	counter_table_free(&l->softirqs);
	free(l->times);
	*l = (struct look){ 0 };
}

static void read_table(struct counter_table *t, const char *path, const struct hosted *h)
{
	FILE *f = fopen(path, "re");
	if (!f)
		return;
	counter_table_read(t, f, h->topology, h->room.facts.cpus);
	fclose(f);
}

static void read_times(struct look *l, const struct hosted *h)
{
	FILE *f = fopen("/proc/stat", "re");
	l->times = calloc(h->room.facts.cpus, sizeof(*l->times));
	l->times_known = f && l->times;
	for (unsigned i = 0; l->times_known && i < h->room.facts.cpus; i++) {
		rewind(f);
		l->times_known = !read_cpu_times(f, h->topology[i].id, &l->times[i]);
	}
	if (f)
		fclose(f);
}

static void look_at(struct look *l, const struct hosted *h)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "re");
	struct rusage r;
	forget(l);
	l->waited_known = f && !read_waited(f, &l->waited_ns);
	if (f)
		fclose(f);
	read_table(&l->interrupts, "/proc/interrupts", h);
	read_table(&l->softirqs, "/proc/softirqs", h);
	read_times(l, h);
	l->switches_known = !getrusage(RUSAGE_THREAD, &r);
	if (l->switches_known) {
		l->voluntary = (uint64_t)r.ru_nvcsw;
		l->involuntary = (uint64_t)r.ru_nivcsw;
	}
}

static void hosted_count_begin(struct room *room)
{
	look_at(&before, hosted_of(room));
}

static void hosted_count_end(struct room *room)
{
	look_at(&after, hosted_of(room));
}

static unsigned add(struct system_count *out, unsigned n, const char *kind, const char *name,
	double count)
{
	if (!(count > 0) || n == COUNTS_MOST)
		return n;
	out[n] = (struct system_count){ .count = count };
	snprintf(out[n].kind, sizeof(out[n].kind), "%s", kind);
	snprintf(out[n].name, sizeof(out[n].name), "%s", name);
	return n + 1;
}

static double seconds(uint64_t from, uint64_t to)
{
	return (double)(to - from) / (double)sysconf(_SC_CLK_TCK);
}

static unsigned add_times(struct system_count *out, unsigned n, unsigned cpu)
{
	if (cpu == 0 && before.waited_known && after.waited_known)
		n = add(out, n, "seconds", "waited",
			(double)(after.waited_ns - before.waited_ns) / 1e9);
	if (!before.times_known || !after.times_known)
		return n;
	const struct cpu_times *a = &before.times[cpu], *b = &after.times[cpu];
	n = add(out, n, "seconds", "irq", seconds(a->irq, b->irq));
	n = add(out, n, "seconds", "softirq", seconds(a->softirq, b->softirq));
	return add(out, n, "seconds", "steal", seconds(a->steal, b->steal));
}

static unsigned hosted_counts_of(struct room *room, unsigned cpu, struct system_count *out,
	unsigned most)
{
	struct system_count *all = calloc(COUNTS_MOST, sizeof(*all));
	unsigned n = 0;
	if (!all || cpu >= room->facts.cpus)
		return free(all), 0;
	n = counter_table_grown(&before.interrupts, &after.interrupts, cpu, "interrupts", all, n,
		COUNTS_MOST);
	n = counter_table_grown(&before.softirqs, &after.softirqs, cpu, "softirqs", all, n,
		COUNTS_MOST);
	if (cpu == 0 && before.switches_known && after.switches_known) {
		n = add(all, n, "switches", "voluntary",
			(double)(after.voluntary - before.voluntary));
		n = add(all, n, "switches", "involuntary",
			(double)(after.involuntary - before.involuntary));
	}
	system_counts_rank(all, n);
	n = n + TIMES < most ? n : most > TIMES ? most - TIMES : 0;
	n = add_times(all, n, cpu);
	n = n < most ? n : most;
	for (unsigned i = 0; i < n; i++)
		out[i] = all[i];
	free(all);
	return n;
}

void counts_init(struct hosted *h)
{
	h->room.count_begin = hosted_count_begin;
	h->room.count_end = hosted_count_end;
	h->room.counts_of = hosted_counts_of;
}

void counts_close(void)
{
	forget(&before);
	forget(&after);
}
