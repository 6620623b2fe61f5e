/* SPDX-License-Identifier: MIT */
/*
 * What CPUID and a few MSRs say of this processor: what it has, what may not be executed, whether
 * it is an encrypted guest's.
 */
#ifndef KERNEL_CPU_CPU_FEATURES_H
#define KERNEL_CPU_CPU_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/room.h"
#include "kernel/cpu/msr.h"

/*
 * Fills the facts hypervisor, emulated, microcode, tsc_invariant, xcr0, ring0. In the kernel's
 * state.
 */
void cpu_describe(struct room *, uint64_t xcr0);

/*
 * Pages that cannot be executed: bit 63 of a page table entry, which is reserved, and faults, where
 * EFER.NXE is off. U-Boot leaves it off; a setup menu may switch the whole feature off ("XD"), and
 * then CPUID denies it and setting EFER.NXE faults.
 */

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

/*
 * NULL, or the reason why the program cannot run in this guest: its memory is encrypted. Page
 * tables then need a bit that marks what is shared, and CPUID, ports and MSRs fault (AMD64 APM vol.
 * 2, 15.34: MSR C0010131h, which is there where CPUID 8000001Fh says so; Intel TDX module: CPUID
 * 21h).
 */
const char *encrypted_guest(const struct cpu_ops *);

#endif
