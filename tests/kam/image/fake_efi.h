/* SPDX-License-Identifier: MIT */
/*
 * The fake firmware's tables of services. Each slot of a table points to a `ret` of its own, and a
 * hook there does what the service does. Layouts are gnu-efi's.
 */
#ifndef TESTS_KAM_IMAGE_FAKE_EFI_H
#define TESTS_KAM_IMAGE_FAKE_EFI_H

#include <efi.h>

#include "tests/kam/image/full_system.h"

enum efi_table { EFI_BOOT, EFI_RUNTIME, EFI_CON_IN, EFI_CON_OUT, EFI_VOLUME, EFI_FILES, EFI_KINDS };

#define EFI_TABLE_BYTES 0x400

/* Handles are addresses that nothing is at. */
#define EFI_IMAGE_HANDLE  (TABLES_AT + 0x7000)
#define EFI_DEVICE_HANDLE (TABLES_AT + 0x7010)

/* The loaded image and the text that it points to. */
#define EFI_LOADED  (TABLES_AT + 0x2000)
#define EFI_OPTIONS (TABLES_AT + 0x3000)
#define EFI_VENDOR  (TABLES_AT + 0x5000)

#define EFI_ARGS 6

/* a: as the Microsoft ABI passes them; returns an EFI status. */
struct efi_service {
	enum efi_table table;
	size_t offset;
	uint64_t (*does)(struct full_system *, const uint64_t a[EFI_ARGS]);
};

#define EFI_SERVICES      16
#define EFI_FILE_SERVICES 7

extern const struct efi_service efi_services[EFI_SERVICES], efi_file_services[EFI_FILE_SERVICES];

/* The handles of files. */
void efi_files_open(struct full_system *);

/* Where a table is. */
static inline uint64_t efi_table_at(enum efi_table t)
{
	return TABLES_AT + (uint64_t)t * EFI_TABLE_BYTES;
}

#endif
