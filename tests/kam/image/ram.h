/* SPDX-License-Identifier: MIT */
/* The memory of a full system: a span from address 0 and, where it is large, one from 4 GiB. */
#ifndef TESTS_KAM_IMAGE_RAM_H
#define TESTS_KAM_IMAGE_RAM_H

#include <stddef.h>
#include <stdint.h>

#define RAM_SPANS 2

struct ram {
	struct ram_span {
		uint64_t base, bytes;
		uint8_t *at; /* in this program */
	} span[RAM_SPANS];
};

/* high: bytes from 4 GiB on, or 0. */
void ram_open(struct ram *, uint64_t low, uint64_t high);
/* The span from 4 GiB on, where there was none. */
void ram_open_high(struct ram *, uint64_t high);
void ram_close(struct ram *);
/* Returns this program's address of the machine's memory; NULL: not all of the bytes are memory. */
void *ram_find(const struct ram *, uint64_t address, uint64_t bytes);
/* The same; what is not memory ends the program. */
void *ram_at(const struct ram *, uint64_t address, uint64_t bytes);

#endif
