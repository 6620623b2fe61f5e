/* SPDX-License-Identifier: MIT */
/* CRC-32 of IEEE 802.3 (reflected 0xedb88320), the same as zlib's crc32(). */
#ifndef LIB_CRC32_H
#define LIB_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continue from crc; 0 to start. */
uint32_t crc32_of(uint32_t crc, const void *data, size_t n);

#endif
