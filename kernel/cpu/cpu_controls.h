/* SPDX-License-Identifier: MIT */
/*
 * What is changed on the processors for the length of a room: counters, core clock, prefetchers. At
 * its end, and after a fault, every MSR that was changed gets its old value, on each processor.
 */
#ifndef KERNEL_CPU_CPU_CONTROLS_H
#define KERNEL_CPU_CPU_CONTROLS_H

#include "kernel/config.h"
#include "kernel/cpu/pmu.h"
#include "kernel/cpu/msr.h"

struct env;
struct jsonl;

/* Of one processor. */
struct cpu_controls {
	struct msr_journal journal;
	bool fix_clock, no_prefetch;          /* as configured */
	const char *clock_why, *prefetch_why; /* why not; NULL: done */
	const char *clock_how;
	unsigned lost; /* MSRs that could not be restored */
};

/* At the start of a room, when its processors are ready. Fills env->prefetch. */
void cpu_controls_apply(struct env *, const struct config *);
void cpu_controls_restore(struct env *);
/* The boot processor's counters. */
const struct counters *cpu_controls_counters(void);
/* The boot processor's changes. */
struct msr_journal *cpu_controls_journal(void);
/* The state of the clock, for the run line. */
void cpu_controls_describe(struct jsonl *);

#endif
