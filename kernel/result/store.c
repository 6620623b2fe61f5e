/* SPDX-License-Identifier: MIT */
/*
 * Power may fail between any two steps, and a single SetVariable either happens or does not (UEFI
 * 2.10 section 8.2). A result counts from the moment its header is written.
 *
 * Writing, at the end of room bare (nothing is pending then: see below):
 *   1 chunks left over from an earlier cut are overwritten or lie beyond what the header counts
 *   2 chunk 00, 01, ... written     cut: chunks without header; the next start deletes them
 *   3 header written                cut before: as above; after: complete, it will be harvested
 *
 * Harvest, at the next start (kernel/result/harvest.c):
 *   1 chunks read, checked, unpacked
 *   2 file written, flushed, read back, compared; its name is in the header, so that a second time
 *     makes the same file             cut: header and chunks are still there; begins again
 *   3 header deleted                  cut before: the file is there already and the same: only 3
 *                                     is left; after: chunks without header; the next start
 *                                     deletes them
 *   4 chunks deleted
 * If 1 or 2 fails the variables stay, and room bare is not entered: a result that is pending is
 * never overwritten. So none is lost, and none becomes two files.
 *
 * The counter of starts is written before room bare is entered, wherever variables can be set at all,
 * and deleted by a harvest, or after the room where no result was to be stored: three entries
 * without that between them (the result could not be written, or the machine resets before it is)
 * and the room is left out once. Where it cannot be counted nothing is stored and nothing resets.
 */
#include <string.h>

#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/store.h"
#include "lib/crc32.h"
#include "lib/text.h"

#define HEADER     "AnechoicResult"
#define STARTS     "AnechoicStarts"
#define MAGIC      0x53454e41 /* "ANES" */
#define VERSION    1
#define WORTHWHILE 2048 /* less room than this holds no result */

const struct store_calls store_firmware_calls = {
	.get = firmware_variable_get,
	.set = firmware_variable_set,
	.file_create = firmware_file_create,
	.file_append = firmware_file_append,
	.file_close = firmware_file_close,
	.file_compare = firmware_file_compare,
	.file_exists = firmware_file_exists,
};

size_t store_limit(const struct variable_store *s, const char **why)
{
	uint64_t half = s->remaining / 2, bytes = half < STORE_BYTES_MOST ? half : STORE_BYTES_MOST;

	*why = s->why_not;
	if (!s->usable || !s->usable_at_runtime)
		return 0;
	*why = "its variable store is nearly full";
	if (bytes < WORTHWHILE || s->most < STORE_CHUNK + 256)
		return 0;
	bytes -= sizeof(struct store_header) +
		(STORE_BYTES_MOST / STORE_CHUNK + 1) * 128; /* names */
	return bytes;
}

static const char *chunk_name(unsigned i)
{
	static char name[24];

	text_format(name, sizeof name, HEADER "%02u", i);
	return name;
}

static uint32_t header_crc(const struct store_header *h)
{
	return crc32_of(0, h, offsetof(struct store_header, own_crc));
}

enum pending store_look(const struct store_calls *c, struct store_header *h)
{
	size_t n = sizeof *h;

	memset(h, 0, n);
	uint64_t status = c->get(HEADER, h, &n);

	if (status == STORE_NOT_FOUND)
		return PENDING_NONE;
	if (status)
		return n > sizeof *h ? PENDING_DAMAGED : PENDING_UNREADABLE;
	if (n != sizeof *h || h->magic != MAGIC || h->version != VERSION ||
		h->own_crc != header_crc(h) || h->chunks > STORE_CHUNKS ||
		h->bytes > h->chunks * STORE_CHUNK || h->file[STORE_NAME - 1])
		return PENDING_DAMAGED;
	return PENDING_WHOLE;
}

static size_t chunk_bytes(size_t all, unsigned i)
{
	size_t left = all - (size_t)i * STORE_CHUNK;

	return left < STORE_CHUNK ? left : STORE_CHUNK;
}

bool store_read(const struct store_calls *c, const struct store_header *h, void *out)
{
	for (unsigned i = 0; i < h->chunks; i++) {
		size_t want = chunk_bytes(h->bytes, i), n = want;

		if (c->get(chunk_name(i), (char *)out + (size_t)i * STORE_CHUNK, &n) || n != want)
			return false;
	}
	return crc32_of(0, out, h->bytes) == h->crc;
}

uint64_t store_write(const struct store_calls *c, const char *file, const void *data, size_t n)
{
	struct store_header h = { .magic = MAGIC, .version = VERSION, .bytes = (uint32_t)n };
	uint64_t status = 0;

	h.chunks = (uint32_t)((n + STORE_CHUNK - 1) / STORE_CHUNK);
	h.crc = crc32_of(0, data, n);
	text_format(h.file, sizeof h.file, "%s", file);
	h.own_crc = header_crc(&h);
	for (unsigned i = 0; i < h.chunks && !status; i++)
		status = c->set(chunk_name(i), (const char *)data + (size_t)i * STORE_CHUNK,
			chunk_bytes(n, i));
	if (!status)
		status = c->set(HEADER, &h, sizeof h);
	if (status)
		store_clear(c);
	return status;
}

static bool exists(const struct store_calls *c, const char *name)
{
	static char data[STORE_CHUNK];
	size_t n = sizeof data;

	return c->get(name, data, &n) == 0 || n > sizeof data;
}

void store_clear(const struct store_calls *c)
{
	if (exists(c, HEADER))
		c->set(HEADER, NULL, 0);
	for (unsigned i = 0; i < STORE_CHUNKS; i++)
		if (exists(c, chunk_name(i)))
			c->set(chunk_name(i), NULL, 0);
}

unsigned store_starts(const struct store_calls *c)
{
	uint8_t starts = 0;
	size_t n = sizeof starts;

	return c->get(STARTS, &starts, &n) ? 0 : starts;
}

bool store_count_start(const struct store_calls *c)
{
	uint8_t starts = (uint8_t)(store_starts(c) + 1);

	return c->set(STARTS, &starts, sizeof starts) == 0 && store_starts(c) == starts;
}

void store_reset_starts(const struct store_calls *c)
{
	if (exists(c, STARTS))
		c->set(STARTS, NULL, 0);
}
