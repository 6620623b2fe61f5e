/* SPDX-License-Identifier: MIT */
/* After ExitBootServices: the other processors started by INIT-SIPI-SIPI. */
#ifndef KERNEL_SMP_START_BARE_H
#define KERNEL_SMP_START_BARE_H

#include "kernel/machine.h"

/*
 * Start each processor of the table: it is then ready or unresponsive; it stays in the kernel and
 * waits for calls. Enters the step "cpus", which the caller leaves. low: memory below 1 MiB for the
 * trampoline.
 */
void start_bare(const struct span *low, double tsc_hz);
/* Returns true if start_bare had that memory. */
bool start_bare_done(void);
/* Starts those once more that an INIT has stopped since. */
void start_bare_again(double tsc_hz);

#endif
