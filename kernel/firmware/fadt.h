/* SPDX-License-Identifier: MIT */
/* What ACPI's FADT says of resetting the machine (ACPI 6.5, 4.8.3.6 and 5.2.9). */
#ifndef KERNEL_FIRMWARE_FADT_H
#define KERNEL_FIRMWARE_FADT_H

#include <stdbool.h>
#include <stdint.h>

/* Address spaces that a reset register may be in (ACPI 6.5, table 5.1). */
enum reset_space { RESET_MEMORY = 0, RESET_PORT = 1, RESET_PCI = 2 };

struct fadt_reset {
	bool register_present;  /* the flag RESET_REG_SUP is set, and the register can be written */
	enum reset_space space; /* of the register */
	uint64_t address;       /* there; RESET_PCI: of the byte at port cf8h, bus 0 */
	uint8_t value;          /* what resets when it is written */
	bool hardware_reduced;  /* the machine lacks ACPI's fixed hardware: use the firmware */
};

/* All zeros where there is no FADT. The address space of the firmware's tables must be mapped. */
struct fadt_reset fadt_reset(uint64_t rsdp);

#endif
