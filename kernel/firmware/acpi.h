/* SPDX-License-Identifier: MIT */
/*
 * The few ACPI tables that we read. Firmware gets them wrong: an address that cannot be memory is
 * passed over; a wrong checksum is said and no more, as in Linux (acpi_tb_verify_checksum), for no
 * reader here goes beyond a table's length. ACPI 6.5 chapter 5;
 * HPET: IA-PC HPET 1.0a section 3.2.4; SPCR: Microsoft, "Serial Port Console Redirection Table".
 */
#ifndef KERNEL_FIRMWARE_ACPI_H
#define KERNEL_FIRMWARE_ACPI_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/machine.h"

struct acpi_table {
	char signature[4];
	uint32_t length; /* header included */
	uint8_t revision, checksum;
	char oem[6], oem_table[8];
	uint32_t oem_revision, creator, creator_revision;
} __attribute__((packed));

/* Addresses above 4 GiB that this memory map does not describe are not touched; NULL: all are. */
void acpi_use_map(const struct memory_map *);
/*
 * The table with that signature under the root pointer at `rsdp`, or NULL. By the XSDT; by the RSDT
 * where there is no XSDT that can be read.
 */
const struct acpi_table *acpi_find(uint64_t rsdp, const char *signature);

/* Whether the bytes of a table that was found sum up to 0. */
bool acpi_sum_is_right(const struct acpi_table *);

/* Address of a device's registers: memory or an I/O port. */
struct acpi_address {
	bool present, memory;
	uint64_t address;
};

/* The power management timer of the FADT: 3.579545 MHz, 24 or 32 bits. */
struct acpi_address acpi_pm_timer(uint64_t rsdp, unsigned *bits);
/* The HPET's registers. */
struct acpi_address acpi_hpet(uint64_t rsdp);
/* The serial console by SPCR, if it is a 16550. */
struct acpi_address acpi_serial(uint64_t rsdp);

/*
 * Steps through the entries of a MADT or SRAT: *at is 0 first. Returns the entry (type, length,
 * ...), NULL at the end or where an entry is malformed.
 */
const uint8_t *acpi_entry(const struct acpi_table *, uint32_t *at);

#endif
