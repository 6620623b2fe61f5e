/* SPDX-License-Identifier: MIT */
/* Starting the other processors after ExitBootServices, by INIT-SIPI-SIPI. */
#ifndef KERNEL_SMP_AP_STARTUP_H
#define KERNEL_SMP_AP_STARTUP_H

#include "kernel/machine.h"
#include "kernel/smp/processors.h"

/*
 * Each processor of the table that was not started is then ready or unresponsive; it stays in the
 * kernel and waits for calls. The step "cpus" is entered, and the caller leaves it. low: memory
 * below 1 MiB for the trampoline.
 */
void ap_startup_all(const struct span *low, double tsc_hz);

/* On a processor of the table: waits for calls and does them, until one that is NULL. */
void ap_serve(struct processor *);

#endif
