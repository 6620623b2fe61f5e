/* SPDX-License-Identifier: MIT */
/* The ways to reset the machine and to switch it off. */
#ifndef KERNEL_RESET_H
#define KERNEL_RESET_H

#include "kernel/machine.h"

/* Call this first of all: reads the ACPI tables. */
void reset_open(const struct machine *);
/*
 * Reset the machine or switch it off; RESET_SHUTDOWN by the firmware alone. If nothing helps, say
 * so and halt.
 */
void reset_machine(enum reset_kind) __attribute__((noreturn));
void halt_forever(void) __attribute__((noreturn));

#endif
