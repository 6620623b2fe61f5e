/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "linux/efivars.h"
#include "lib/crc32.h"
#include "lib/pack.h"

static const struct efivar *find(const struct efivars *vars, const char *name)
{
	for (size_t i = 0; i < vars->n; i++)
		if (!strcmp(vars->all[i].name, name))
			return &vars->all[i];
	return NULL;
}

static const char *read_header(const struct efivars *vars, struct stored_result *h)
{
	const struct efivar *v = find(vars, STORED_RESULT_NAME);

	if (!v)
		return vars->n ? "chunks without their header: the writing was cut"
			       : "no variable " STORED_RESULT_NAME ": nothing is pending";
	return stored_result_check(v->data, v->n, h);
}

/* Puts the chunks together; the buffer has h->payload_bytes. */
static const char *join(const struct efivars *vars, const struct stored_result *h, char *packed)
{
	size_t n = 0;

	for (unsigned i = 0; i < h->chunks; i++) {
		char name[STORED_RESULT_NAME_BYTES];
		stored_result_chunk_name(name, i);
		const struct efivar *v = find(vars, name);
		if (!v)
			return "a chunk is missing";
		if (v->n > h->payload_bytes - n)
			return "its chunks are too long";
		memcpy(packed + n, v->data, v->n);
		n += v->n;
	}
	if (n != h->payload_bytes)
		return "its chunks are too short";
	return crc32_of(0, packed, n) == h->payload_crc ? NULL : "its checksum is wrong";
}

char *efivars_unpack(const struct efivars *vars, size_t *n, const char **why)
{
	struct stored_result h;
	char *packed = NULL, *text = NULL;

	*why = read_header(vars, &h);
	if (!*why && !(packed = malloc((size_t)h.payload_bytes + 1)))
		*why = "there is no memory for it";
	if (!*why)
		*why = join(vars, &h, packed);
	if (!*why) {
		*n = unpack_length(packed, h.payload_bytes);
		text = malloc(*n + 1);
		*why = text ? unpack(packed, h.payload_bytes, text, *n)
			    : "there is no memory for it";
	}
	free(packed);
	if (!*why)
		return text;
	free(text);
	return NULL;
}
