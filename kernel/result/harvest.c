/* SPDX-License-Identifier: MIT */
#include "kernel/result/harvest.h"
#include "lib/pack.h"

/* NULL, or what went wrong. */
static const char *write_file(const struct storage *s, const char *name, const char *text, size_t n)
{
	bool same = false;

	if (s->file_exists(name) && s->file_compare(name, text, n, &same) == 0 && same)
		return NULL; /* the power failed between the file and the deletion of the header */
	if (s->file_create(name))
		return "its file cannot be created";
	uint64_t status = s->file_append(text, n);
	if (s->file_close() || status)
		return "its file cannot be written";
	if (s->file_compare(name, text, n, &same) || !same)
		return "its file does not read back as written";
	return NULL;
}

static const char *read_text(const struct storage *s, const struct harvest_memory *m,
	struct harvested *out)
{
	const struct stored_result *h = &out->header;
	const char *why = store_read(s, h, m->packed);

	if (why)
		return why;
	out->text_bytes = unpack_length(m->packed, h->payload_bytes);
	return unpack(m->packed, h->payload_bytes, m->text, m->text_bytes);
}

enum harvest harvest(const struct storage *s, const char *file_absent,
	const struct harvest_memory *m, struct harvested *out)
{
	out->text_bytes = 0;
	enum pending pending = store_find(s, &out->header, &out->why);

	if (pending == PENDING_UNREADABLE)
		return HARVEST_KEPT;
	if (pending == PENDING_VALID)
		out->why = read_text(s, m, out);
	if (out->why || pending == PENDING_NONE) {
		store_erase(s); /* nothing valid, but perhaps chunks without a header */
		return pending == PENDING_NONE ? HARVEST_NOTHING : HARVEST_DAMAGED;
	}
	out->why = file_absent ? file_absent
			       : write_file(s, out->header.file, m->text, out->text_bytes);
	if (out->why)
		return HARVEST_KEPT;
	store_erase(s);
	store_reset_bare_entries(s);
	return HARVEST_DONE;
}
