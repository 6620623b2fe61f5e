/* SPDX-License-Identifier: MIT */
/*
 * A fixed core clock: each core is set to its base frequency, turbo off. Intel: by
 * hardware-managed states where the firmware enabled them (MSR 774h; 770h stays as found: it can
 * only be set once), else by PERF_CTL 199h; turbo by 1A0h[38] (SDM vol. 3B 15.4, vol. 4). AMD: by
 * CPPC where it is enabled (C001_02B3h), else P-state 0 (C001_0062h); boost by C001_0015h[25].
 */
#ifndef KERNEL_CPU_FIXED_CLOCK_H
#define KERNEL_CPU_FIXED_CLOCK_H

#include "kernel/cpu/msr.h"

/*
 * On this processor. NULL, or why not; *how: "hwp", "perf-ctl", "cppc" or "p-state". Undone by
 * msr_restore.
 */
const char *fix_core_clock(struct msr_journal *, const char **how);

#endif
