/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/memory/image_sections.h"

#define AT_PE_OFFSET 0x3c
#define COFF_BYTES   24 /* signature and file header */
#define LINE_BYTES   40 /* one line of the section table */

#define SECTION_EXECUTE 0x20000000U
#define SECTION_WRITE   0x80000000U

static uint32_t read32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static uint16_t read16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

bool image_section(const struct span *image, unsigned i, struct image_section *out)
{
	const unsigned char *base = (const unsigned char *)image->base;
	uint32_t pe = image->bytes >= 0x1000 ? read32(base + AT_PE_OFFSET) : 0x1000;

	if (pe > 0x1000 - COFF_BYTES || read32(base + pe) != 0x4550 || i >= read16(base + pe + 6))
		return false;
	uint32_t at = pe + COFF_BYTES + read16(base + pe + 20) + i * LINE_BYTES;
	if (at > 0x1000 - LINE_BYTES)
		return false;
	const unsigned char *line = base + at;
	uint32_t flags = read32(line + 36);
	memcpy(out->name, line, 8);
	out->name[8] = 0;
	out->span = (struct span){ image->base + read32(line + 12), read32(line + 8) };
	out->writable = flags & SECTION_WRITE;
	out->executable = flags & SECTION_EXECUTE;
	return true;
}

bool image_find(const struct span *image, uint64_t address, struct image_section *out)
{
	for (unsigned i = 0; image_section(image, i, out); i++)
		if (address - out->span.base < out->span.bytes)
			return true;
	return false;
}
