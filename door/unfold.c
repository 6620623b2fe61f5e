/* SPDX-License-Identifier: MIT */
/* Makes the image as a firmware's loader would: sections at their places, addresses adjusted. */
#include <stdint.h>

/* Places in a PE32+ file (Microsoft, "PE Format"): from the signature, and of a section's line. */
enum { PE_AT = 0x3c, SECTIONS = 6, ENTRY = 40, MEMORY = 80, RELOCATIONS = 176, LINES = 184 };
enum { LINE = 40, ADDRESS = 12, FILE_BYTES = 16, FILE_AT = 20 };

#define MOVE_64 0xa /* type of a relocation: 8 bytes */

static uint32_t number(const unsigned char *at)
{
	return *(const uint32_t *)at;
}

static void copy(unsigned char *to, const unsigned char *from, uint64_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

static void clear(unsigned char *to, uint64_t n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
}

static void move(unsigned char *to, const unsigned char *block, const unsigned char *end)
{
	for (; block < end; block += number(block + 4))
		for (uint32_t i = 8; i < number(block + 4); i += 2) {
			uint16_t entry = *(const uint16_t *)(block + i);

			if (entry >> 12 == MOVE_64)
				*(uint64_t *)(to + number(block) + (entry & 0xfff)) += (uint64_t)to;
		}
}

void *unfold(const unsigned char *image, unsigned char *to);

/* Returns the entry of the new image. */
void *unfold(const unsigned char *image, unsigned char *to)
{
	const unsigned char *pe = image + number(image + PE_AT), *line = pe + LINES;

	clear(to, number(pe + MEMORY));
	copy(to, image, 0x1000);
	for (unsigned i = 0; i < *(const uint16_t *)(pe + SECTIONS); i++, line += LINE)
		copy(to + number(line + ADDRESS), image + number(line + FILE_AT),
			number(line + FILE_BYTES));
	line = to + number(pe + RELOCATIONS);
	move(to, line, line + number(pe + RELOCATIONS + 4));
	return to + number(pe + ENTRY);
}
