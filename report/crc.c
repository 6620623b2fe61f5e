/* SPDX-License-Identifier: MIT */
#include "report/crc.h"

/*
 * Not the writer's (lib/crc32.c): report/ knows nothing but the format, and what the writer gets
 * wrong should not be found right by the same code.
 */
uint32_t frame_crc(uint32_t crc, const void *data, size_t n)
{
	static const uint32_t nibble[16] = {
		0x00000000,
		0x1db71064,
		0x3b6e20c8,
		0x26d930ac,
		0x76dc4190,
		0x6b6b51f4,
		0x4db26158,
		0x5005713c,
		0xedb88320,
		0xf00f9344,
		0xd6d6a3e8,
		0xcb61b38c,
		0x9b64c2b0,
		0x86d3d2d4,
		0xa00ae278,
		0xbdbdf21c,
	};
	const unsigned char *p = data;

	crc = ~crc;
	while (n--) {
		crc = nibble[(crc ^ *p) & 15] ^ crc >> 4;
		crc = nibble[(crc ^ *p++ >> 4) & 15] ^ crc >> 4;
	}
	return ~crc;
}
