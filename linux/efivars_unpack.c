/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/efivars.h"
#include "lib/crc32.h"
#include "lib/pack.h"

#define HEADER  "AnechoicResult"
#define MAGIC   0x53454e41 /* "ANES" */
#define VERSION 1

/* As the image writes it; both sides are x86. */
struct header {
	uint32_t magic, version, chunks, bytes, crc;
	char file[48];
	uint32_t own_crc;
};
static_assert(sizeof(struct header) == 72, "the header has no padding");

static const struct efivar *find(const struct efivars *vars, const char *name)
{
	for (size_t i = 0; i < vars->n; i++)
		if (!strcmp(vars->all[i].name, name))
			return &vars->all[i];
	return NULL;
}

static const char *read_header(const struct efivars *vars, struct header *h)
{
	const struct efivar *v = find(vars, HEADER);

	if (!v)
		return vars->n ? "chunks without their header: the writing was cut"
			       : "no variable " HEADER ": nothing is pending";
	if (v->n != sizeof *h)
		return "its header has another size";
	memcpy(h, v->data, sizeof *h);
	if (h->magic != MAGIC || crc32_of(0, h, offsetof(struct header, own_crc)) != h->own_crc)
		return "its header is damaged";
	return h->version == VERSION ? NULL : "its header is of another version";
}

/* Puts the chunks together; the buffer has h->bytes. */
static const char *join(const struct efivars *vars, const struct header *h, char *packed)
{
	size_t n = 0;

	for (unsigned i = 0; i < h->chunks; i++) {
		char name[32];
		snprintf(name, sizeof name, HEADER "%02u", i);
		const struct efivar *v = find(vars, name);
		if (!v)
			return "a chunk is missing";
		if (v->n > h->bytes - n)
			return "its chunks are too long";
		memcpy(packed + n, v->data, v->n);
		n += v->n;
	}
	if (n != h->bytes)
		return "its chunks are too short";
	return crc32_of(0, packed, n) == h->crc ? NULL : "its checksum is wrong";
}

char *efivars_unpack(const struct efivars *vars, size_t *n, const char **why)
{
	struct header h;
	char *packed = NULL, *text = NULL;

	*why = read_header(vars, &h);
	if (!*why && !(packed = malloc((size_t)h.bytes + 1)))
		*why = "there is no memory for it";
	if (!*why)
		*why = join(vars, &h, packed);
	if (!*why) {
		*n = unpack_length(packed, h.bytes);
		text = malloc(*n + 1);
		*why = text ? unpack(packed, h.bytes, text, *n) : "there is no memory for it";
	}
	free(packed);
	if (!*why)
		return text;
	free(text);
	return NULL;
}
