/* SPDX-License-Identifier: MIT */
/*
 * What the kernel counts by CPU, and the processor's own counters.
 */
#ifndef LINUX_OS_COUNTERS_H
#define LINUX_OS_COUNTERS_H

#include <stdint.h>
#include <stdio.h>

#include "linux/hosted.h"
#include "engine/room.h"

/* What the kernel has counted on a CPU since it started. Slow: for a run, not for a sample. */
struct os_counters os_counters_read(unsigned cpu);

/*
 * Time that a thread waited for a CPU, ns, from its open /proc/.../schedstat (2nd number). 0 or -1.
 */
int read_waited(FILE *schedstat, uint64_t *ns);

/* Sums one CPU's column of an open /proc/interrupts; *timer is its "LOC" line. -1: no such CPU. */
int read_interrupts(FILE *interrupts, unsigned cpu, uint64_t *sum, uint64_t *timer);

/* Time of one CPU that is nobody's there, clock ticks. */
struct cpu_times {
	uint64_t irq, softirq; /* in interrupts and softirqs; 0 where the kernel does not tell */
	uint64_t steal;        /* taken by the hypervisor */
};

/* From an open /proc/stat (proc(5), 6th to 8th figure). -1: not there. */
int read_cpu_times(FILE *stat, unsigned cpu, struct cpu_times *);

/* The tables /proc/interrupts and /proc/softirqs: "CPU0 CPU1", then "NAME: 1 2 words". */

struct counter_line {
	char name[16];     /* "LOC", "24", "TIMER" */
	char words[40];    /* what the table says that it is; of a numbered line the devices */
	uint64_t *figures; /* [cpus] */
};

struct counter_table {
	struct counter_line *lines;
	size_t n;
};

/*
 * Reads an open table for these CPUs, by `id`. Lines that have no figure for each CPU (ERR) are
 * left out. 0; -1 if a CPU is not in the heading, or without memory: the table is then empty.
 */
int counter_table_read(struct counter_table *, FILE *, const struct cpu_location *cpus, unsigned n);
void counter_table_free(struct counter_table *);

/*
 * What grew on cpus[cpu] between two tables of the same CPUs, as counts of this kind, behind the n
 * that out[most] has. Returns how many it has then.
 */
unsigned counter_table_grown(const struct counter_table *before, const struct counter_table *after,
	unsigned cpu, const char *kind, struct system_count *out, unsigned n, unsigned most);

/* The most frequent first. */
void system_counts_rank(struct system_count *, unsigned n);

/* The processor's own counters, as far as perf_event_open(2) gives them to this process. */

#define COUNTERS 3

struct counter_kind {
	uint32_t type, config; /* PERF_TYPE_..., PERF_COUNT_... */
	uint32_t bit;          /* EVENT_... */
};

/* Core cycles, instructions, mispredicted branches, in this order. */
extern const struct counter_kind hardware_counters[COUNTERS];

/* Opens those of the kinds that the machine has as one group, user mode only, on this thread. */
void counters_open(struct event_counters *q, const struct counter_kind *kinds, unsigned n);

void counters_close(struct event_counters *q);

/* Their values in the order opened. 0, or -1: not counted all the time, do not use them. */
int counters_read(const struct event_counters *q, uint64_t values[COUNTERS]);

#endif
