/* SPDX-License-Identifier: MIT */
/*
 * The hardware prefetchers. Intel: MSR 1A4h bits 0-3 (L2 stream, adjacent line, L1 next line, L1
 * by instruction), SDM vol. 4, as likwid uses it; from Golden Cove on bit 5 too (L2, "adaptive
 * multipath probability": SDM vol. 4, the 12th generation's table; CoreFreq, discussion 466);
 * shared by the threads of a core. E-cores have more, in other MSRs (Intel 357930). AMD Zen 3 to 5:
 * MSR C000_0108h bits 0-3 and 5, where CPUID 8000_0021h EAX[13] says so. Zen 5's bits 9:6 choose
 * how eager the others are (PPR for family 1Ah); they stay.
 */
#ifndef KERNEL_CPU_PREFETCH_MSR_H
#define KERNEL_CPU_PREFETCH_MSR_H

#include "kernel/cpu/msr.h"

/* Turns them off on this processor, or back to what they were. NULL, or why not. */
const char *prefetch_set(struct msr_journal *, bool on);

#endif
