/* SPDX-License-Identifier: MIT */
/*
 * Pages that cannot be executed: bit 63 of a page table entry, which is reserved, and faults, where
 * EFER.NXE is off. U-Boot leaves it off; a setup menu may switch the whole feature off ("XD"), and
 * then CPUID denies it and setting EFER.NXE faults.
 */
#ifndef KERNEL_CPU_NO_EXECUTE_H
#define KERNEL_CPU_NO_EXECUTE_H

#include "kernel/cpu/cpu_ops.h"

/* What the registers were. */
struct no_execute {
	uint64_t efer, misc_enable;
	bool allowed; /* IA32_MISC_ENABLE was changed: it did not allow it */
};

/*
 * Whether this is an Intel processor with the bit that switches the feature off, IA32_MISC_ENABLE
 * [34], as Linux's verify_cpu.S tells them: family 6 from model 0Dh on.
 */
bool no_execute_can_be_off(const struct cpu_ops *);
/*
 * On the processor itself: clears that bit and sets EFER.NXE. false: it has no such pages, and no
 * entry may have bit 63. Nothing here faults, whatever the descriptor tables are.
 */
bool no_execute_enable(const struct cpu_ops *, struct no_execute *before);
/* Undoes it, once no table with bit 63 is loaded. */
void no_execute_restore(const struct cpu_ops *, const struct no_execute *before);

#endif
