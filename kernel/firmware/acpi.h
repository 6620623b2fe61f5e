/* SPDX-License-Identifier: MIT */
/*
 * The few ACPI tables that we read. Firmware gets them wrong: an address that cannot be memory is
 * passed over; a wrong checksum is reported and no more, as in Linux (acpi_tb_verify_checksum), for
 * no reader here goes beyond a table's length. ACPI 6.5 chapter 5; HPET: IA-PC HPET 1.0a section
 * 3.2.4; SPCR: Microsoft, "Serial Port Console Redirection Table".
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

/*
 * Set the memory map. Addresses above 4 GiB that it does not describe are not touched; NULL: all
 * are.
 */
void acpi_use_map(const struct memory_map *);
/*
 * The table with that signature under the root pointer at `rsdp`, or NULL. Searches the XSDT; the
 * RSDT if no XSDT can be read.
 */
const struct acpi_table *acpi_find(uint64_t rsdp, const char *signature);

#define LOW_RAM_END 0x100000 /* no device has registers in memory below: there is RAM */

/* Address of a device's registers: memory or an I/O port. */
struct acpi_address {
	bool present, memory;
	uint64_t address;
	unsigned width;  /* bytes of an access to a register of a serial port: 1, 2 or 4 */
	unsigned stride; /* bytes from one of its registers to the next: 1, 2 or 4 */
};

/* The power management timer of the FADT: 3.579545 MHz, 24 or 32 bits. */
struct acpi_address acpi_pm_timer(uint64_t rsdp, unsigned *bits);
/* The HPET's registers. */
struct acpi_address acpi_hpet(uint64_t rsdp);
/*
 * The serial console by SPCR, if it is a 16550. The width of a register, and the distance to the
 * next, is that of an access, as in Linux's 8250_early.c for "mmio32"; with interface type 12h the
 * distance is the register's bit width (Microsoft, SPCR, "Interface Type").
 */
struct acpi_address acpi_serial(uint64_t rsdp);

/*
 * Step through the entries of a MADT or SRAT: *at is 0 first. Returns the entry (type, length,
 * ...), NULL at the end or if an entry is malformed.
 */
const uint8_t *acpi_entry(const struct acpi_table *, uint32_t *at);

/* Report on the console which of the tables used here are malformed. */
void acpi_report(uint64_t rsdp);

/* Facts from ACPI's FADT about resetting the machine (ACPI 6.5, 4.8.3.6 and 5.2.9). */

/* Address spaces that a reset register may be in (ACPI 6.5, table 5.1). */
enum reset_space { RESET_MEMORY = 0, RESET_PORT = 1, RESET_PCI = 2 };

struct fadt_reset {
	bool register_present;  /* the flag RESET_REG_SUP is set, and the register can be written */
	enum reset_space space; /* of the register */
	uint64_t address;       /* in that space; RESET_PCI: of the byte at port cf8h, bus 0 */
	uint8_t value;          /* writing this value resets */
	bool hardware_reduced;  /* the machine lacks ACPI's fixed hardware: use the firmware */
};

/* All zeros if there is no FADT. The address space of the firmware's tables must be mapped. */
struct fadt_reset fadt_reset(uint64_t rsdp);
/* The port of power management 1 control, whose bit 0 is SCI_EN; 0: none. fadt NULL: none. */
uint16_t acpi_pm1_control(const struct acpi_table *fadt);

/*
 * Find the port by which the firmware is asked for an SMI (ACPI 6.5, table 5.9: SMI_CMD), if the
 * value means nothing to ACPI. Returns NULL; or the reason why it must not be written. fadt NULL:
 * no FADT.
 */
const char *acpi_smi_port(const struct acpi_table *fadt, uint8_t value, uint16_t *port);

/* Processors in ACPI's MADT. */

/*
 * Returns true if an entry (acpi_entry) is an enabled processor, and writes its APIC id: ACPI 6.5,
 * 5.2.12.2 and .12. Not counted: a processor that may only come later (online capable), and the id
 * that addresses all processors, by which firmware marks missing ones.
 */
bool madt_processor(const uint8_t *entry, uint32_t *id);

/*
 * NUMA nodes ("proximity domains") by ACPI's SRAT and SLIT: ACPI 6.5, 5.2.16 and 5.2.17. Each
 * function takes the table that acpi_find gives, or NULL: nothing is known then.
 */

/* The node of the processor with that APIC id; UINT32_MAX: unknown. */
uint32_t srat_cpu_node(const struct acpi_table *srat, uint32_t apic_id);

/* Memory of a node that is there and stays: neither hot-pluggable nor non-volatile. */
struct node_range {
	uint32_t node;
	uint64_t base, bytes; /* bytes > 0, and base + bytes does not overflow */
};

/* Step through the memory ranges: *at is 0 first. Returns false at the end. */
bool srat_memory(const struct acpi_table *srat, uint32_t *at, struct node_range *out);

/*
 * The distance from one node to another; 10 is the distance of a node to itself. UINT32_MAX:
 * unknown.
 */
uint32_t slit_distance(const struct acpi_table *slit, uint32_t from, uint32_t to);

#endif
