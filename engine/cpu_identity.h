/* SPDX-License-Identifier: MIT */
/* What CPUID tells of who executes us and of the TSC's rate; the same question in every room. */
#ifndef ENGINE_CPU_IDENTITY_H
#define ENGINE_CPU_IDENTITY_H

#include "engine/room.h"

/* The hypervisor's vendor string (CPUID 40000000h), "" where CPUID.1 ECX[31] is clear. */
void identity_hypervisor(struct room *, char out[13]);

/* Whether that vendor is an emulator: QEMU's TCG or Bochs. */
bool identity_emulated(const char *hypervisor);

/* CPUID 80000007h EDX[8]: the TSC runs at one rate in all P-, C- and T-states. */
bool identity_tsc_invariant(struct room *);

/*
 * TSC rates that CPUID claims, in Hz; 0: not told.
 * 15h: crystal * EBX / EAX; a crystal of 0 is filled in by model (Linux tsc.c). 16h: the rounded
 * base frequency. 40000010h: EAX in kHz (VMware's and KVM's timing leaf).
 */
double identity_tsc_15h(struct room *);
double identity_tsc_16h(struct room *);
double identity_tsc_40000010h(struct room *);

#endif
