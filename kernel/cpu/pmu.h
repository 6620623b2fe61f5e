/* SPDX-License-Identifier: MIT */
/*
 * The processor's own counters, as far as they are there: each was written and read back, or seen
 * to advance, before it is believed. Intel: SDM vol. 3B chapter 20 (architectural performance
 * monitoring), vol. 4; AMD: PPR for family 17h, 2.1.14 (core performance monitor counters).
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
 * Sets the counters going on this processor and tells which answer; `work` makes them move: it
 * takes cycles, executes instructions and mispredicts branches. What it changes is in the journal.
 */
void counters_start(struct counters *, struct msr_journal *, void (*work)(void));
/* Something unforeseeable, for `work`. */
void counters_exercise(void);

#endif
