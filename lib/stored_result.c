/* SPDX-License-Identifier: MIT */
#include "lib/stored_result.h"

#include <string.h>

#include "lib/crc32.h"
#include "lib/text.h"

#define MAGIC   0x53454e41 /* "ANES" */
#define VERSION 1

_Static_assert(sizeof(struct stored_result) == 72, "the header has no padding");

static uint32_t crc_of_header(const struct stored_result *h)
{
	return crc32_of(0, h, offsetof(struct stored_result, header_crc));
}

static size_t chunks_of(size_t bytes)
{
	return (bytes + STORED_RESULT_CHUNK - 1) / STORED_RESULT_CHUNK;
}

struct stored_result stored_result_header(const char *file, const void *packed, size_t n)
{
	struct stored_result h = {
		.magic = MAGIC, .version = VERSION, .payload_bytes = (uint32_t)n
	};

	h.chunks = (uint32_t)chunks_of(n);
	h.payload_crc = crc32_of(0, packed, n);
	text_format(h.file, sizeof h.file, "%s", file);
	h.header_crc = crc_of_header(&h);
	return h;
}

/*
 * Returns true for a header of another version. The place of its checksum is known only if the size
 * is the same as ours.
 */
bool stored_result_other_version(const void *variable, size_t n)
{
	struct stored_result h = { 0 };

	memcpy(&h, variable, n < sizeof h ? n : sizeof h);
	if (h.magic != MAGIC || !h.version || h.version == VERSION)
		return false;
	return n != sizeof h || h.header_crc == crc_of_header(&h);
}

const char *stored_result_check(const void *variable, size_t n, struct stored_result *h)
{
	if (stored_result_other_version(variable, n))
		return "its header is of another version";
	if (n != sizeof *h)
		return "its header has another size";
	memcpy(h, variable, n);
	if (h->magic != MAGIC || h->header_crc != crc_of_header(h) || h->version != VERSION)
		return "its header is damaged";
	if (h->chunks > STORED_RESULT_CHUNKS || h->chunks != chunks_of(h->payload_bytes) ||
		h->file[STORED_RESULT_FILE - 1])
		return "its header makes no sense";
	return NULL;
}

static bool may_stand_in_name(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		c == '.' || c == '-';
}

bool stored_result_names_file(const struct stored_result *h)
{
	const char *c = h->file;

	if (*c == '.')
		return false;
	while (may_stand_in_name(*c))
		c++;
	return c != h->file && !*c;
}

void stored_result_chunk_name(char out[STORED_RESULT_NAME_BYTES], unsigned i)
{
	text_format(out, STORED_RESULT_NAME_BYTES, STORED_RESULT_NAME "%02u", i);
}

size_t stored_result_chunk_bytes(size_t all, unsigned i)
{
	size_t left = all - (size_t)i * STORED_RESULT_CHUNK;

	return left < STORED_RESULT_CHUNK ? left : STORED_RESULT_CHUNK;
}

const char *stored_result_read(const struct stored_result *h, void *packed, stored_result_get *get,
	void *from)
{
	char name[STORED_RESULT_NAME_BYTES];

	for (unsigned i = 0; i < h->chunks; i++) {
		size_t expected = stored_result_chunk_bytes(h->payload_bytes, i), n = expected;

		stored_result_chunk_name(name, i);
		const char *why =
			get(from, name, (char *)packed + (size_t)i * STORED_RESULT_CHUNK, &n);
		if (why || n != expected)
			return why ? why : "a chunk has another size";
	}
	return crc32_of(0, packed, h->payload_bytes) == h->payload_crc ? NULL
								       : "its checksum is wrong";
}
