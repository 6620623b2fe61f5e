/* SPDX-License-Identifier: MIT */
/* Page tables of four levels, walked as the processor does (Intel SDM vol. 3A, 4.5). */
#ifndef TESTS_KAM_IMAGE_WALK_H
#define TESTS_KAM_IMAGE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/kam/image/ram.h"

#define WALK_TABLES 4

struct walked_page {
	uint64_t physical; /* of the address asked for */
	unsigned shift;    /* 12, 21 or 30 */
	bool writable, executable;
	/* Addresses of the entries that map the page, the first table's first. */
	uint64_t entry[WALK_TABLES];
	unsigned entries;
};

/* root: CR3. false: not present, or the tables are not memory. */
bool walk(const struct ram *, uint64_t root, uint64_t address, struct walked_page *out);

#endif
