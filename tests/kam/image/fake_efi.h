/* SPDX-License-Identifier: MIT */
/*
 * The fake firmware's tables of services. Each slot of a table points to a `ret` of its own, and a
 * hook there does what the service does. Layouts are gnu-efi's.
 */
#ifndef TESTS_KAM_IMAGE_FAKE_EFI_H
#define TESTS_KAM_IMAGE_FAKE_EFI_H

#include <efi.h>

#include "tests/kam/image/full_system.h"

enum efi_table {
	EFI_BOOT,
	EFI_RUNTIME,
	EFI_CON_IN,
	EFI_CON_OUT,
	EFI_VOLUME,
	EFI_FILES,
	EFI_MP,
	EFI_GRAPHICS,
	EFI_KINDS
};

_Static_assert(EFI_KINDS == EFI_TABLES, "a row of services for each table");

#define EFI_TABLE_BYTES 0x400

/* Handles are addresses that nothing is at. */
#define EFI_IMAGE_HANDLE  (TABLES_AT + 0x7000)
#define EFI_DEVICE_HANDLE (TABLES_AT + 0x7010)

/* The loaded image and the text that it points to. */
#define EFI_LOADED  (TABLES_AT + 0x2000)
#define EFI_OPTIONS (TABLES_AT + 0x3000)
#define EFI_VENDOR  (TABLES_AT + 0x5000)
#define EFI_SYSTEM  (TABLES_AT + 0x5400)
/* The configuration tables: GUIDs and addresses. */
#define EFI_CONFIGURATION (TABLES_AT + 0x5600)
/* ACPI's tables, from the root pointer on. */
#define ACPI_AT  (TABLES_AT + 0x8000)
#define ACPI_END ROOT_AT

struct efi_service {
	enum efi_table table;
	size_t offset;
	efi_service_fn *does;
};

/* Each list ends with a service that does nothing. */
extern const struct efi_service efi_services[], efi_file_services[], efi_variable_services[];

/* The handles of files. */
void efi_files_open(struct full_system *);
/* After the end of a start: files are closed, and what was not flushed is gone. */
void efi_files_cut(struct full_system *);
/* Puts another service into a slot; returns the one that was there. */
efi_service_fn *efi_replace(struct full_system *, enum efi_table, size_t offset, efi_service_fn *);
/* A number of 64 bits of the machine's memory. */
uint64_t *efi_number(struct full_system *, uint64_t address);
/* Adds a table to the system's list of configuration tables. */
void efi_configure(struct full_system *, EFI_GUID, uint64_t address);
/* ACPI's tables. */
void acpi_open(struct full_system *);

/* Returns a table's address. */
static inline uint64_t efi_table_at(enum efi_table t)
{
	return TABLES_AT + (uint64_t)t * EFI_TABLE_BYTES;
}

#endif
