/* SPDX-License-Identifier: MIT */
/* The notes of steps (kernel/steps.h) on this machine, by its firmware. */
#ifndef KERNEL_STEPS_MACHINE_H
#define KERNEL_STEPS_MACHINE_H

#include "kernel/config.h"
#include "kernel/machine.h"

/* In the kernel's state, before ExitBootServices. */
void steps_open_machine(const struct machine *, const struct config *);

/* Tells machines apart that one stick is carried between: the processor's model, the firmware. */
uint32_t machine_id(const struct machine *);

#endif
