/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_CPU_ENCRYPTED_GUEST_H
#define KERNEL_CPU_ENCRYPTED_GUEST_H

#include "kernel/cpu/cpu_ops.h"

/*
 * NULL, or the reason why the program cannot run in this guest: its memory is encrypted. Page
 * tables then need a bit that marks what is shared, and CPUID, ports and MSRs fault (AMD64 APM vol.
 * 2, 15.34: MSR C0010131h, which is there where CPUID 8000001Fh says so; Intel TDX module: CPUID
 * 21h).
 */
const char *encrypted_guest(const struct cpu_ops *);

#endif
