/* SPDX-License-Identifier: MIT */
/*
 * Packs a result for the EFI variable: a header of 16 bytes (magic "ANEC", version, length and
 * CRC-32 of the text; little endian) and a zlib stream.
 */
#ifndef LIB_PACK_H
#define LIB_PACK_H

#include <stddef.h>

/* Longest text that can be packed, and the memory that packing n bytes of it needs. */
#define PACK_TEXT_MOST (64u << 20)
size_t pack_work(size_t n);

/*
 * Returns the packed size; 0: it is larger than `bytes`, work is too small, or the text too long.
 */
size_t pack(const char *text, size_t n, void *out, size_t bytes, void *work, size_t work_bytes);

/* Length of the text in a packed result; 0: it is not ours. */
size_t unpack_length(const void *packed, size_t n);

/* Unpack into out, which has unpack_length() bytes. Returns NULL, or the error. */
const char *unpack(const void *packed, size_t n, char *out, size_t bytes);

#endif
