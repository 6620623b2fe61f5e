/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/pack.h"

/* The compressor's memory: given out from its start to its end, never taken back. */
static struct {
	unsigned char *base;
	size_t bytes, used;
} pool;

static void *pool_take(size_t n)
{
	size_t at = (pool.used + 15) & ~(size_t)15;

	if (at > pool.bytes || n > pool.bytes - at)
		return NULL;
	pool.used = at + n;
	return pool.base + at;
}

static void *pool_grow(void *old, size_t old_bytes, size_t n)
{
	void *p = pool_take(n);

	if (p && old)
		memcpy(p, old, old_bytes);
	return p;
}

/*
 * This pragma must stand before the push: the compiler reports functions that are declared but
 * never defined at the end of the file.
 */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wpragmas"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STBIW_ASSERT(x)                      ((void)0)
#define STBIW_MALLOC(n)                      pool_take(n)
#define STBIW_REALLOC_SIZED(p, old_bytes, n) pool_grow(p, old_bytes, n)
#define STBIW_REALLOC(p, n)                  pool_grow(p, 0, n)
#define STBIW_FREE(p)                        ((void)(p))
#define STBIW_MEMMOVE                        memmove
#include <stb/stb_image_write.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_NO_SIMD
#define STBI_NO_THREAD_LOCALS
#define STBI_ONLY_PNG
#define STBI_SUPPORT_ZLIB
#define STBI_ASSERT(x)                      ((void)0)
#define STBI_MALLOC(n)                      pool_take(n)
#define STBI_REALLOC_SIZED(p, old_bytes, n) pool_grow(p, old_bytes, n)
#define STBI_REALLOC(p, n)                  pool_grow(p, 0, n)
#define STBI_FREE(p)                        ((void)(p))
#include <stb/stb_image.h>

#pragma GCC diagnostic pop

#define MAGIC   0x43454e41 /* "ANEC" */
#define VERSION 1
#define QUALITY 5 /* of stb's compressor: 5 is its least, and gives 8:1 here */

struct header {
	uint32_t magic, version, bytes, crc;
};

_Static_assert(sizeof(struct header) == 16, "as docs/format.md says");

/*
 * Memory for stb's own tables: 16384 lists of at most 2 * QUALITY pointers, grown by doubling and
 * never freed here (2 + 5 + 11 pointers, headers of 8 bytes each), and output grown the same way.
 */
size_t pack_work(size_t n)
{
	return 4 * n + 16384 * (8 + 18 * 8 + 3 * 8 + 3 * 16) + 65536;
}

size_t pack(const char *text, size_t n, void *out, size_t bytes, void *work, size_t work_bytes)
{
	struct header h = { MAGIC, VERSION, (uint32_t)n, crc32_of(0, text, n) };
	unsigned char *stream;
	int length = 0;

	if (n == 0 || n > PACK_TEXT_MOST || work_bytes < pack_work(n) || bytes < sizeof h)
		return 0;
	pool.base = work;
	pool.bytes = work_bytes;
	pool.used = 0;
	stream = stbi_zlib_compress((unsigned char *)text, (int)n, &length, QUALITY);
	if (!stream || (size_t)length > bytes - sizeof h)
		return 0;
	memcpy(out, &h, sizeof h);
	memcpy((unsigned char *)out + sizeof h, stream, (size_t)length);
	return sizeof h + (size_t)length;
}

size_t unpack_length(const void *packed, size_t n)
{
	struct header h;

	if (n < sizeof h)
		return 0;
	memcpy(&h, packed, sizeof h);
	return h.magic == MAGIC && h.version == VERSION && h.bytes <= PACK_TEXT_MOST ? h.bytes : 0;
}

const char *unpack(const void *packed, size_t n, char *out, size_t bytes)
{
	size_t length = unpack_length(packed, n);
	struct header h;
	int got;

	if (!length)
		return "not a packed result of this version";
	if (length > bytes)
		return "longer than there is memory";
	memcpy(&h, packed, sizeof h);
	pool.bytes = pool.used = 0;
	got = stbi_zlib_decode_buffer(out, (int)length, (const char *)packed + sizeof h,
		(int)(n - sizeof h));
	if (got < 0 || (size_t)got != length)
		return "the packed data is damaged";
	if (crc32_of(0, out, length) != h.crc)
		return "the check sum is wrong";
	return NULL;
}
