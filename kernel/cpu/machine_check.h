/* SPDX-License-Identifier: MIT */
/*
 * Machine checks: the processor and its memory controller report errors in banks of registers (SDM
 * vol. 3B chapter 16; AMD64 APM vol. 2 chapter 9: the same registers, or its scalable banks). An
 * uncorrected error is exception 18 and ends the room. Corrected errors are silent: from time to
 * time the banks are compared with their earlier contents. Contents from before this program
 * started are reported once, and stay there for the system that logs them; only MCG_STATUS.MCIP is
 * cleared, because while it is set another machine check would shut the processor down.
 */
#ifndef KERNEL_CPU_MACHINE_CHECK_H
#define KERNEL_CPU_MACHINE_CHECK_H

#include <stddef.h>

#include "kernel/cpu/msr.h"

#define MACHINE_CHECK_BANKS 64 /* most banks that are looked at */
#define MACHINE_CHECKS_KEPT 4  /* most errors that are reported in full */
#define MACHINE_CHECK_TEXT  160

/* A valid bank as it was read. */
struct machine_check {
	unsigned bank;
	uint64_t status, address,
		misc; /* the last two are 0 if the status says that they are not valid */
};

/* Note the contents of the banks, on the processor that measures. Returns how many are valid. */
unsigned machine_checks_open(const struct cpu_ops *);
/* Returns false if this processor has no banks. */
bool machine_checks_known(void);
/*
 * On the same processor: returns how many banks changed since the last call, and keeps them for the
 * text. Reading all banks takes microseconds.
 */
unsigned machine_checks_poll(void);
/* In the handler of exception 18, on any processor: keep its valid banks and clear MCIP. */
void machine_checks_take(void);
/* Write all that were kept since machine_checks_open, two lines each. Returns the length. */
size_t machine_checks_text(char *out, size_t bytes);

#endif
