/* SPDX-License-Identifier: MIT */
/*
 * What we turn on the processors for the length of a room: counters, core clock, prefetchers. At
 * its end, and after a fault, every MSR that was changed gets its old value, on each processor.
 */
#ifndef KERNEL_CPU_KNOBS_H
#define KERNEL_CPU_KNOBS_H

#include "kernel/config.h"
#include "kernel/cpu/pmu.h"
#include "kernel/cpu/msr.h"

struct jsonl;

/* One processor's. */
struct knobs {
	struct msr_journal journal;
	bool fix_clock, no_prefetch;          /* asked for */
	const char *clock_why, *prefetch_why; /* why not, NULL: done */
	const char *clock_how;
	unsigned lost; /* MSRs that did not take their old value */
};

/* In a room, when its processors are ready. Fills env's prefetch. */
void knobs_enter(struct env *, const struct config *);
void knobs_leave(struct env *);
/* The measuring processor's counters. */
const struct counters *knobs_counters(void);
/* The measuring processor's changes. */
struct msr_journal *knobs_journal(void);
/* The state of the clock, for the run line. */
void knobs_describe(struct jsonl *);

#endif
