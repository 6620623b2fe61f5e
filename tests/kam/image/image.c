/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/image.h"

#define SECTION_BYTES 40
#define COFF_BYTES    20

uint32_t image_u16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

uint32_t image_u32(const uint8_t *p)
{
	return image_u16(p) | image_u16(p + 2) << 16;
}

static void slurp(struct image *im, const char *path)
{
	FILE *f = fopen(path, "rb");
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0)
		fatal("%s: cannot be read", path);
	rewind(f);
	im->bytes = (size_t)n;
	im->file = malloc(im->bytes + 1);
	if (!im->file || fread(im->file, 1, im->bytes, f) != im->bytes)
		fatal("%s: cannot be read", path);
	fclose(f);
}

void image_read(struct image *im, const char *path)
{
	uint32_t at, optional;

	slurp(im, path);
	if (im->bytes < 0x40 || memcmp(im->file, "MZ", 2))
		fatal("%s: not a PE image", path);
	at = image_u32(im->file + 0x3c);
	if (at > im->bytes - 4 - COFF_BYTES || memcmp(im->file + at, "PE\0\0", 4))
		fatal("%s: no PE signature", path);
	im->header = im->file + at;
	im->section_count = image_u16(im->header + 6);
	optional = image_u16(im->header + 20);
	im->optional = im->header + 4 + COFF_BYTES;
	im->sections = im->optional + optional;
	if (optional < 2 ||
		im->sections + im->section_count * SECTION_BYTES > im->file + im->bytes ||
		image_u16(im->optional) != 0x20b)
		fatal("%s: not a PE32+ image, or cut", path);
}

void image_free(struct image *im)
{
	free(im->file);
}

struct section image_section(const struct image *im, unsigned n)
{
	const uint8_t *s = im->sections + n * SECTION_BYTES;
	struct section out = { image_u32(s + 12), image_u32(s + 8), image_u32(s + 20),
		image_u32(s + 16) };

	if (out.file_offset > im->bytes || out.file_bytes > im->bytes - out.file_offset)
		fatal("section %u reaches beyond the end of the file", n);
	return out;
}

const uint8_t *image_find(const struct image *im, const char *name, struct section *out)
{
	char padded[9] = "";
	unsigned n;

	strncpy(padded, name, 8);
	for (n = 0; n < im->section_count; n++)
		if (!memcmp(im->sections + n * SECTION_BYTES, padded, 8)) {
			*out = image_section(im, n);
			return im->file + out->file_offset;
		}
	fatal("the image has no section %s", name);
}
