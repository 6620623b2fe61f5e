/* SPDX-License-Identifier: MIT */
/*
 * The processor's performance counters. Emulators ignore writes to counters that they do not have,
 * so a counter is used only after it was written and read back, or seen to advance. Intel: SDM vol.
 * 3B chapter 20 (architectural performance monitoring), vol. 4; AMD: PPR for family 17h, 2.1.14
 * (core performance monitor counters).
 */
#ifndef KERNEL_CPU_PMU_H
#define KERNEL_CPU_PMU_H

#include <stddef.h>

#include "kernel/cpu/msr.h"

enum { COUNT_CYCLES, COUNT_INSTRUCTIONS, COUNT_MISPREDICTS, COUNT_SMIS, COUNTS };

struct counter {
	uint32_t msr;  /* 0: not counted here */
	uint64_t mask; /* of its bits */
};

struct counters {
	struct counter of[COUNTS];
};

/*
 * Starts the counters of this processor and finds out which of them count; `work` must make them
 * advance: it executes instructions and mispredicts branches. All changes are in the journal.
 */
void counters_start(struct counters *, struct msr_journal *, void (*work)(void));
/* For `work`: branches that no predictor foresees. */
void counters_exercise(void);

#endif
