/* SPDX-License-Identifier: MIT */
/*
 * State that is changed on the processors for the length of a room: the controls of
 * cpu_controls.inc, the prefetchers and the performance counters. At the end of the room, and after
 * a fault, every changed MSR gets its old value back, on each processor.
 */
#ifndef KERNEL_CPU_CPU_CONTROLS_H
#define KERNEL_CPU_CPU_CONTROLS_H

#include <stddef.h>

#include "engine/room.h"
#include "kernel/cpu/msr.h"
#include "kernel/config.h"

/*
 * The processor's performance counters. Emulators ignore writes to counters that they do not have,
 * so a counter is used only after it was written and read back, or seen to advance. Intel: SDM vol.
 * 3B chapter 20 (architectural performance monitoring), vol. 4; AMD: PPR for family 17h, 2.1.14
 * (core performance monitor counters).
 */

enum { COUNT_CYCLES, COUNT_INSTRUCTIONS, COUNT_MISPREDICTS, COUNT_SMIS, COUNTS };

struct pmu_counter {
	uint32_t msr;  /* 0: this machine does not count it */
	uint64_t mask; /* the bits that the counter has */
};

struct counters {
	struct pmu_counter of[COUNTS];
};

/* The changes on one processor. */
struct cpu_controls {
	struct msr_journal journal;
	uint64_t wanted[CPU_CONTROLS]; /* as configured; 0: leave it as found */
	bool prefetch_off;
	const char *why[CPU_CONTROLS]; /* reason why it was not changed; NULL: it was */
	const char *how[CPU_CONTROLS];
	unsigned lost; /* MSRs that could not be restored */
};

/* At the start of a room, when its processors are ready. Fills room->prefetch and controls. */
void cpu_controls_apply(struct room *, const struct config *);
void cpu_controls_restore(struct room *);
/* The boot processor's counters. */
const struct counters *cpu_controls_counters(void);
/* The boot processor's changes. */
struct msr_journal *cpu_controls_journal(void);

#endif
