/* SPDX-License-Identifier: MIT */
/* The processor's own counters, as far as perf_event_open(2) gives them to this process. */
#ifndef LINUX_PERF_COUNTERS_H
#define LINUX_PERF_COUNTERS_H

#include <stdint.h>

#include "linux/hosted.h"

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
