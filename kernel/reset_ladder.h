/* SPDX-License-Identifier: MIT */
/*
 * Resetting the machine and switching it off. No single way works everywhere, so one after the
 * other is tried, each announced on the console and given RESET_SECONDS (before the TSC's rate is
 * known, a second is taken for 5e9 ticks):
 *
 *   the ACPI reset register     where the FADT has one: what Windows and Linux use
 *   port cf9h                   where there is PCI: 2 (a full reset), then 6 (now); Intel, AMD
 *   the firmware, cold, warm    ResetSystem; faults on some machines, returns on others
 *   the keyboard controller     command feh at port 64h
 *   a triple fault              the processor shuts down, and chipsets reset then
 *
 * On a hardware-reduced machine (FADT) the firmware comes first, as in Linux: such machines need
 * not have the others. Caches are not written back before: what must survive is in flash or on the
 * stick by then. After ExitBootServices the firmware is called under a guard
 * (kernel/firmware/firmware_calls.h).
 */
#ifndef KERNEL_RESET_LADDER_H
#define KERNEL_RESET_LADDER_H

#include "kernel/firmware/acpi.h"
#include "kernel/machine.h"

enum reset_step {
	RESET_BY_REGISTER,
	RESET_BY_CF9,
	RESET_BY_FIRMWARE_COLD,
	RESET_BY_FIRMWARE_WARM,
	RESET_BY_KEYBOARD,
	RESET_BY_TRIPLE_FAULT,
	RESET_STEPS
};

#define RESET_SECONDS 1

/* The steps for a machine, in order; pci: it has configuration mechanism 1. Returns how many. */
unsigned reset_order(const struct fadt_reset *, bool pci, enum reset_step order[RESET_STEPS]);

/* First of all: reads the ACPI tables. */
void reset_open(const struct machine *);
/* RESET_SHUTDOWN is done by the firmware alone. Halts where nothing helps, and says so. */
void reset_machine(enum reset_kind) __attribute__((noreturn));
void halt_forever(void) __attribute__((noreturn));

#endif
