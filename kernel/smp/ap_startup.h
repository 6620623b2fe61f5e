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

/*
 * The other processors before ExitBootServices. The firmware's MP Services call a function on each,
 * once in the room: it switches to the kernel's state and waits there for work, asleep, so that no
 * firmware's loop spins beside what is measured; at the end of the room it switches back and
 * returns.
 */

/* Calls it on each processor of the table: it is then ready or unresponsive. */
void ap_firmware_start_all(const struct machine *);
/* Lets those that are ready return to the firmware, a second at most for each. */
void ap_firmware_leave_all(void);
/*
 * The number in the list of a processor that has not returned to the firmware, because it faulted
 * or does not respond; 0: none. A firmware may wait for it for ever when its boot services end.
 */
unsigned ap_firmware_stuck(void);

#endif
