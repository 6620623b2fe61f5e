/* SPDX-License-Identifier: MIT */
/* The shipped image, read from its file: PE32+ as in Microsoft's "PE Format". */
#ifndef TESTS_KAM_IMAGE_IMAGE_H
#define TESTS_KAM_IMAGE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct image {
	uint8_t *file;
	size_t bytes;
	const uint8_t *header; /* the "PE" signature */
	const uint8_t *optional;
	const uint8_t *sections; /* section table */
	unsigned section_count;
};

struct section {
	uint32_t address, memory_bytes, file_offset, file_bytes;
};

/* Reads and checks a file; any fault ends the program. */
void image_read(struct image *, const char *path);
void image_free(struct image *);
/* A section by number; its name is at most 8 bytes. */
struct section image_section(const struct image *, unsigned n);
/* The bytes of a section by name. */
const uint8_t *image_find(const struct image *, const char *name, struct section *);
/* Little-endian numbers at any address. */
uint32_t image_u16(const uint8_t *), image_u32(const uint8_t *);

#endif
