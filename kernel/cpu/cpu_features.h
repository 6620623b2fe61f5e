/* SPDX-License-Identifier: MIT */
/*
 * Facts from CPUID and a few MSRs about this processor: its features, pages that must not be
 * executed, an encrypted guest.
 */
#ifndef KERNEL_CPU_CPU_FEATURES_H
#define KERNEL_CPU_CPU_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/room.h"
#include "kernel/cpu/msr.h"

/*
 * Fill the facts hypervisor, emulated, microcode, tsc_invariant, xcr0, ring0. Call it in the
 * kernel's state.
 */
void cpu_describe(struct room *, uint64_t xcr0);

/*
 * Pages that cannot be executed: bit 63 of a page table entry, which is reserved, and faults, where
 * EFER.NXE is off. U-Boot leaves it off; a setup menu may switch the whole feature off ("XD"), and
 * then CPUID denies it and setting EFER.NXE faults.
 */

/* The registers as they were before. */
struct no_execute {
	uint64_t efer, misc_enable;
	bool allowed; /* IA32_MISC_ENABLE was changed, because it disabled the feature */
};

/*
 * Returns true for an Intel processor that has the bit that switches the feature off,
 * IA32_MISC_ENABLE [34]: family 6 from model 0Dh on, as in Linux's verify_cpu.S.
 */
bool no_execute_can_be_off(const struct cpu_ops *);
/*
 * Clear that bit and set EFER.NXE, on the processor that runs this. Returns false if it has no such
 * pages: no entry may have bit 63 then. Nothing here faults, whatever the descriptor tables are.
 */
bool no_execute_enable(const struct cpu_ops *, struct no_execute *before);
/* Undo it, once no table with bit 63 is loaded. */
void no_execute_restore(const struct cpu_ops *, const struct no_execute *before);

/*
 * NULL, or the reason why the program cannot run in this guest: its memory is encrypted. Page
 * tables then need a bit that marks shared pages, and CPUID, ports and MSRs fault (AMD64 APM vol.
 * 2, 15.34: MSR C0010131h, which exists if CPUID 8000001Fh EAX[1] is set; Intel TDX module: CPUID
 * 21h).
 */
const char *encrypted_guest(const struct cpu_ops *);

#endif
