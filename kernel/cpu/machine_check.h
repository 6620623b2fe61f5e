/* SPDX-License-Identifier: MIT */
/*
 * Machine checks: what the processor and its memory controller report in banks of registers (SDM
 * vol. 3B chapter 16; AMD64 APM vol. 2 chapter 9, the same registers, or those of its scalable
 * banks). An uncorrected one is
 * exception 18 and ends the room. Corrected ones are silent: the banks are compared from time to
 * time with what they held before. What was in them before this program started is told once, and
 * stays there for the system that logs it; only MCG_STATUS.MCIP is cleared, because another machine
 * check would shut the processor down while it is set.
 */
#ifndef KERNEL_CPU_MACHINE_CHECK_H
#define KERNEL_CPU_MACHINE_CHECK_H

#include <stddef.h>

#include "kernel/cpu/msr.h"

#define MACHINE_CHECK_BANKS 64 /* that are looked at */
#define MACHINE_CHECKS_KEPT 4  /* that are told in full */
#define MACHINE_CHECK_TEXT  160

/* A valid bank as read. */
struct machine_check {
	unsigned bank;
	uint64_t status, address,
		misc; /* the last two 0 where the status says that there are none */
};

/* On the processor that measures: notes what its banks hold. Returns how many are valid. */
unsigned machine_checks_open(const struct cpu_ops *);
/* false: this processor has no banks. */
bool machine_checks_known(void);
/*
 * On the same: how many banks changed since the last call, which is kept for the text. Reading all
 * takes microseconds.
 */
unsigned machine_checks_poll(void);
/* In the handler of exception 18, on any processor: keeps its valid banks and clears MCIP. */
void machine_checks_take(void);
/* All that were kept since machine_checks_open, two lines each. Returns the length. */
size_t machine_checks_text(char *out, size_t bytes);

#endif
