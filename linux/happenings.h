/* SPDX-License-Identifier: MIT */
/* What the kernel has counted on a CPU since it started. Slow: for a whole run, not a sample. */
#ifndef LINUX_HAPPENINGS_H
#define LINUX_HAPPENINGS_H

#include "linux/hosted.h"

struct happenings happenings_now(unsigned cpu);

/* Time that a thread waited for a CPU, ns, in its open /proc/.../schedstat (proc(5), 2nd figure). 0 or -1. */
int waited_of(FILE *schedstat, uint64_t *ns);

/* Sums one CPU's column of an open /proc/interrupts; *timer is its "LOC" line. -1: no such CPU. */
int interrupts_of(FILE *interrupts, unsigned cpu, uint64_t *sum, uint64_t *timer);

/* Stolen time of one CPU in an open /proc/stat, clock ticks (proc(5), 8th figure). -1: not there. */
int steal_of(FILE *stat, unsigned cpu, uint64_t *ticks);

#endif
