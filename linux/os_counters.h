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

/* The processor's own counters, as far as perf_event_open(2) gives them to this process. */

#define COUNTERS 3

void counters_close(struct event_counters *q);

#endif
