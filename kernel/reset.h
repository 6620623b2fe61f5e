/* SPDX-License-Identifier: MIT */
/* The ways to reset the machine and to switch it off. */
#ifndef KERNEL_RESET_H
#define KERNEL_RESET_H

#include "kernel/machine.h"

/* First of all: reads the ACPI tables. */
void reset_open(const struct machine *);
/* RESET_SHUTDOWN is done by the firmware alone. Halts where nothing helps, and says so. */
void reset_machine(enum reset_kind) __attribute__((noreturn));
void halt_forever(void) __attribute__((noreturn));

#endif
