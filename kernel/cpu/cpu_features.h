/* SPDX-License-Identifier: MIT */
/* What CPUID and a few MSRs say of this processor. */
#ifndef KERNEL_CPU_CPU_FEATURES_H
#define KERNEL_CPU_CPU_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/room.h"

/* 1 GiB pages: CPUID 80000001h EDX[26]. */
bool cpu_gigabyte_pages(void);
/* The first address beyond the physical ones: CPUID 80000008h EAX[7:0]; 2^36 without that leaf. */
uint64_t cpu_physical_end(void);
/*
 * The XCR0 to set: x87 and SSE, AVX and AVX-512 each only where CPUID.Dh offers the state and
 * CPUID.1 or CPUID.7 the instructions (QEMU 7.2 offers AVX-512 state without the instructions).
 * 0: no XSAVE.
 */
uint64_t cpu_vector_state(void);
/*
 * AMD: makes lfence wait for what came before it, as Intel's does: MSR C001_1029[1], unless CPUID
 * 80000021h EAX[2] says that it always does. On each processor; stays set, as under Linux.
 */
void cpu_serialise_lfence(void);
/* CPUID for struct room. */
struct cpuid cpu_room_cpuid(struct room *, uint32_t leaf, uint32_t subleaf);
/*
 * Fills the facts hypervisor, emulated, microcode, tsc_invariant, xcr0, ring0. In the kernel's
 * state.
 */
void cpu_describe(struct room *, uint64_t xcr0);

#endif
