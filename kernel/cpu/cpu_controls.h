/* SPDX-License-Identifier: MIT */
/*
 * What is changed on the processors for the length of a room: the controls of cpu_controls.inc, the
 * prefetchers and the performance counters. At the end of the room, and after a fault, every MSR
 * that was changed gets its old value, on each processor.
 */
#ifndef KERNEL_CPU_CPU_CONTROLS_H
#define KERNEL_CPU_CPU_CONTROLS_H

#include "kernel/config.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/pmu.h"

struct room;
struct jsonl;

/*
 * Each changes this processor to `choice`, one of the setting's but the first, and notes in the
 * journal what was there before. NULL, or why it cannot; then nothing is changed. *how: by what
 * means, in a word.
 */
#define CPU_CONTROL(key)                                                                           \
	const char *control_##key(struct msr_journal *, uint64_t choice, const char **how);
#include "kernel/cpu/cpu_controls.inc"
#undef CPU_CONTROL

enum cpu_control {
#define CPU_CONTROL(key) CONTROL_##key,
#include "kernel/cpu/cpu_controls.inc"
#undef CPU_CONTROL
	CPU_CONTROLS
};

/* Of one processor. */
struct cpu_controls {
	struct msr_journal journal;
	uint64_t wanted[CPU_CONTROLS]; /* by the configuration; 0: as found */
	bool prefetch_off;
	const char *why[CPU_CONTROLS]; /* why it was not changed; NULL: it was */
	const char *how[CPU_CONTROLS];
	unsigned lost; /* MSRs that could not be restored */
};

/* At the start of a room, when its processors are ready. Fills room->prefetch. */
void cpu_controls_apply(struct room *, const struct config *);
void cpu_controls_restore(struct room *);
/* The boot processor's counters. */
const struct counters *cpu_controls_counters(void);
/* The boot processor's changes. */
struct msr_journal *cpu_controls_journal(void);
/* What became of the controls in this room, as members of the run line. */
void cpu_controls_describe(struct jsonl *);

#endif
