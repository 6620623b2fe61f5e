/* SPDX-License-Identifier: MIT */
/* The fake firmware's memory map (UEFI 2.10, 7.2): ranges by type, in ascending order. */
#ifndef TESTS_KAM_IMAGE_MEMMAP_H
#define TESTS_KAM_IMAGE_MEMMAP_H

#include <stdbool.h>
#include <stdint.h>

#define MEMMAP_RANGES      4096
#define MEMMAP_ENTRY_BYTES 48 /* more than the structure has, as real firmware does */

/* EFI_MEMORY_TYPE and EFI_ALLOCATE_TYPE, as far as they are used. */
enum {
	MEMMAP_LOADER_CODE = 1,
	MEMMAP_BOOT_CODE = 3,
	MEMMAP_FIRMWARE_DATA = 4,
	MEMMAP_RUNTIME_CODE = 5,
	MEMMAP_RUNTIME_DATA = 6,
	MEMMAP_FREE = 7,
	MEMMAP_UNACCEPTED = 15,
};
enum { MEMMAP_ANY, MEMMAP_BELOW, MEMMAP_AT };

struct memmap {
	struct memmap_range {
		uint64_t base, pages;
		uint32_t type;
		bool special; /* for special purposes: only taken where it is asked for */
	} range[MEMMAP_RANGES];
	unsigned n;
	uint64_t key; /* changes with the map */
};

/* Adds memory behind all that is there. */
void memmap_add(struct memmap *, uint64_t base, uint64_t bytes, uint32_t type);
/*
 * AllocatePages: from the top of what lies below 4 GiB and has room, with MEMMAP_BELOW not beyond
 * *at, with MEMMAP_AT there and nowhere else. false: there is none.
 */
bool memmap_take(struct memmap *, unsigned how, uint32_t type, uint64_t pages, uint64_t *at);
/* Writes n entries of MEMMAP_ENTRY_BYTES. */
void memmap_write(const struct memmap *, void *out);

#endif
