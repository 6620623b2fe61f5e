/* SPDX-License-Identifier: MIT */
/* Fields: Microsoft, "PE Format". What is not as it should be ends the program. */
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/load.h"

enum {
	OPTIONAL_ENTRY = 16,
	OPTIONAL_BASE = 24,
	OPTIONAL_IMAGE_BYTES = 56,
	OPTIONAL_HEADER_BYTES = 60,
	OPTIONAL_DIRECTORIES = 108,
	OPTIONAL_RELOCATIONS = 152
};
enum { RELOCATION_NONE = 0, RELOCATION_64 = 10 };

uint32_t load_bytes(const struct image *im)
{
	if (im->sections - im->optional < OPTIONAL_RELOCATIONS + 8)
		fatal("the image's header has no place for relocations");
	return image_u32(im->optional + OPTIONAL_IMAGE_BYTES);
}

static void copy(const struct image *im, uint8_t *to, uint32_t address, uint32_t from,
	uint32_t bytes)
{
	if (address > load_bytes(im) || bytes > load_bytes(im) - address || from > im->bytes ||
		bytes > im->bytes - from)
		fatal("%u bytes for %#x of the image lie outside it", bytes, address);
	memcpy(to + address, im->file + from, bytes);
}

/* One entry of a block: adds the base to the 64-bit word that it names. */
static void relocate(const struct image *im, uint8_t *to, uint32_t page, uint32_t entry,
	uint64_t moved)
{
	uint32_t at = page + (entry & 0xfff);
	uint64_t word;

	if (entry >> 12 == RELOCATION_NONE)
		return;
	if (entry >> 12 != RELOCATION_64)
		fatal("a relocation of type %u at %#x", entry >> 12, at);
	if (load_bytes(im) < 8 || at > load_bytes(im) - 8)
		fatal("a relocation at %#x, outside the image", at);
	memcpy(&word, to + at, 8);
	word += moved;
	memcpy(to + at, &word, 8);
}

static void relocate_block(const struct image *im, uint8_t *to, const uint8_t *block,
	uint32_t bytes, uint64_t moved)
{
	uint32_t i;

	for (i = 8; i + 2 <= bytes; i += 2)
		relocate(im, to, image_u32(block), image_u16(block + i), moved);
}

static void relocate_all(const struct image *im, uint8_t *to, uint64_t moved)
{
	uint32_t at = image_u32(im->optional + OPTIONAL_RELOCATIONS);
	uint32_t left = image_u32(im->optional + OPTIONAL_RELOCATIONS + 4), bytes;

	if (at > load_bytes(im) || left > load_bytes(im) - at)
		fatal("the relocations lie outside the image");
	for (; left >= 8; at += bytes, left -= bytes) {
		bytes = image_u32(to + at + 4);
		if (bytes < 8 || bytes > left)
			fatal("a block of relocations of %u bytes, %u are left", bytes, left);
		relocate_block(im, to, to + at, bytes, moved);
	}
}

uint64_t load_image(const struct image *im, uint8_t *to, uint64_t base)
{
	uint64_t wanted = image_u32(im->optional + OPTIONAL_BASE) |
		(uint64_t)image_u32(im->optional + OPTIONAL_BASE + 4) << 32;
	unsigned n;

	if (image_u32(im->optional + OPTIONAL_DIRECTORIES) < 6)
		fatal("the image has no relocations");
	memset(to, 0, load_bytes(im));
	copy(im, to, 0, 0, image_u32(im->optional + OPTIONAL_HEADER_BYTES));
	for (n = 0; n < im->section_count; n++) {
		struct section s = image_section(im, n);

		copy(im, to, s.address, s.file_offset,
			s.file_bytes < s.memory_bytes ? s.file_bytes : s.memory_bytes);
	}
	relocate_all(im, to, base - wanted);
	return base + image_u32(im->optional + OPTIONAL_ENTRY);
}
