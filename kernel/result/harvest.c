/* SPDX-License-Identifier: MIT */
#include "kernel/result/harvest.h"
#include "lib/pack.h"

/* The file as it should be; NULL, or what went wrong. */
static const char *write_file(const struct store_calls *c, const char *name, const char *text,
	size_t n)
{
	bool same = false;

	if (c->file_exists(name) && c->file_compare(name, text, n, &same) == 0 && same)
		return NULL; /* an earlier start was cut between here and the deletion */
	if (c->file_create(name))
		return "its file cannot be created";
	uint64_t status = c->file_append(text, n);
	if (c->file_close() || status)
		return "its file cannot be written";
	if (c->file_compare(name, text, n, &same) || !same)
		return "its file does not read back as written";
	return NULL;
}

static const char *read_back(const struct store_calls *c, const struct harvest_memory *m,
	struct harvested *out)
{
	const struct store_header *h = &out->header;

	if (!store_read(c, h, m->packed))
		return "its check sum is wrong";
	out->text_bytes = unpack_length(m->packed, h->bytes);
	return unpack(m->packed, h->bytes, m->text, m->text_bytes);
}

enum harvest harvest(const struct store_calls *c, const char *file_absent,
	const struct harvest_memory *m, struct harvested *out)
{
	enum pending pending = store_look(c, &out->header);

	out->text_bytes = 0;
	out->why = "the firmware does not give its variable";
	if (pending == PENDING_UNREADABLE)
		return HARVEST_KEPT;
	out->why = pending == PENDING_DAMAGED ? "its header is damaged" : NULL;
	if (pending == PENDING_WHOLE)
		out->why = read_back(c, m, out);
	if (out->why || pending == PENDING_NONE) {
		store_clear(c); /* nothing that was whole; also orphaned chunks */
		return pending == PENDING_NONE ? HARVEST_NOTHING : HARVEST_DAMAGED;
	}
	out->why = file_absent ? file_absent
			       : write_file(c, out->header.file, m->text, out->text_bytes);
	if (out->why)
		return HARVEST_KEPT;
	store_clear(c);
	store_reset_starts(c);
	return HARVEST_DONE;
}
