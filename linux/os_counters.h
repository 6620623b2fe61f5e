/* SPDX-License-Identifier: MIT */
/*
 * What the kernel has counted on a CPU since it started. Slow: for a whole run, not for a sample.
 */
#ifndef LINUX_OS_COUNTERS_H
#define LINUX_OS_COUNTERS_H

#include "linux/hosted.h"

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

#endif
