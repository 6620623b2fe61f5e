/* SPDX-License-Identifier: MIT */
/*
 * The other processors before ExitBootServices: the firmware's MP Services call a function on one
 * of them, which switches to the kernel's state, works there on its own stack, and switches back
 * before it returns.
 */
#ifndef KERNEL_SMP_AP_FIRMWARE_H
#define KERNEL_SMP_AP_FIRMWARE_H

#include "kernel/smp/processors.h"

/* Tries a first call on each processor of the table: it is then ready or unresponsive. */
void ap_firmware_start_all(const struct machine *);
/* Calls p->fn(p->arg) there and returns at once. false: the firmware refused. */
bool ap_firmware_call(struct processor *);
/*
 * After the call completed: false if the firmware does not notice it, and would refuse the next
 * one.
 */
bool ap_firmware_wait(struct processor *);

#endif
