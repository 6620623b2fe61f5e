/* SPDX-License-Identifier: MIT */
/*
 * Before ExitBootServices: the firmware's MP Services call a function on each other processor, once
 * in the room. It switches to the kernel's state and waits there for work, asleep, so that no loop
 * of the firmware spins beside what is measured; at the end of the room it switches back and
 * returns.
 */
#ifndef KERNEL_SMP_START_BY_FIRMWARE_H
#define KERNEL_SMP_START_BY_FIRMWARE_H

#include "kernel/machine.h"

/*
 * Calls that function on each processor of the table: it is then ready or unresponsive, or, if the
 * firmware refuses, not started.
 */
void start_by_firmware(const struct machine *);
/*
 * The firmware's reason for starting no other processor in this room; NULL: it refused none. In the
 * PI specification (1.7, volume 2, 13.4) a call that returns at once, StartupThisAP with an event,
 * may be refused after ReadyToBoot, which comes before every boot option.
 */
const char *firmware_refused_cpus(void);
/* Lets all those that are ready return to the firmware, at once. */
void leave_to_firmware(void);
/*
 * The number in the list of a processor that has not returned to the firmware, because it faulted
 * or does not respond; 0: none. A firmware may wait for it for ever when its boot services end.
 */
unsigned stuck_in_firmware(void);

#endif
