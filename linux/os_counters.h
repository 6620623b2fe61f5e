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

/* Time of one CPU that is nobody's there, clock ticks. */
struct cpu_times {
	uint64_t irq, softirq; /* in interrupts and softirqs; 0 where the kernel does not tell */
	uint64_t steal;        /* taken by the hypervisor */
};

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

/* The processor's own counters, as far as perf_event_open(2) gives them to this process. */

#define COUNTERS 3

struct counter_kind {
	uint32_t type, config; /* PERF_TYPE_..., PERF_COUNT_... */
	uint32_t bit;          /* EVENT_... */
};

/* Core cycles, instructions, mispredicted branches, in this order. */
extern const struct counter_kind hardware_counters[COUNTERS];

void counters_close(struct event_counters *q);

#endif
