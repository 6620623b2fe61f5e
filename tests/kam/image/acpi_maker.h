/* SPDX-License-Identifier: MIT */
/* ACPI's tables in the machine's memory: made with right checksums, found again, changed. */
#ifndef TESTS_KAM_IMAGE_ACPI_MAKER_H
#define TESTS_KAM_IMAGE_ACPI_MAKER_H

#include "tests/kam/image/full_system.h"

#define ACPI_TIMER_PORT  0x608
#define ACPI_RESET_PORT  0x64e
#define CHIPSET_PORT     0xcf9
#define ACPI_RESET_VALUE 0x77
#define HPET_AT          0xfed00000ull
#define APIC_AT          0xfee00000ull

/* Registers of the HPET. */
enum { HPET_PERIOD = 4, HPET_CONTROL = 0x10, HPET_COUNT = 0xf0 };

enum { MADT_ENTRIES = 44, MADT_ENTRY_BYTES = 8, MADT_ENABLED = 1, MADT_ONLINE_CAPABLE = 2 };

/* A table of zeros with its header. It is in no list yet. */
uint8_t *acpi_make(struct full_system *, const char *signature, uint32_t length);
/* Writes a number of n bytes, and the checksum. */
void acpi_put(uint8_t *table, uint32_t at, uint64_t value, size_t n);
/* The latest table of that name; NULL: none. */
uint8_t *acpi_table(struct full_system *, const char *signature);
/* Its address in the machine. */
uint64_t acpi_address(struct full_system *, const uint8_t *table);
/* Entry i of a MADT: a local APIC with that id. */
void acpi_put_cpu(uint8_t *madt, unsigned i, unsigned id, unsigned flags);
/* Makes XSDT and RSDT with these addresses, and the root pointer points to them. */
void acpi_list(struct full_system *, const uint64_t *tables, unsigned n);
/* The same with the latest of each table that was made. */
void acpi_list_all(struct full_system *);
/* Computes both checksums of the root pointer. */
void acpi_sum_root(struct full_system *);

#endif
