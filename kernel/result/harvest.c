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

/* After the chunks' checksum was found right: a header that unpack does not know is no damage. */
static enum pending unpack_text(const struct harvest_memory *m, struct harvested *out)
{
	size_t packed_bytes = out->header.payload_bytes;
	size_t n = unpack_length(m->packed, packed_bytes);

	if (!n)
		out->why = "its text is packed by another version";
	else if (n > m->text_bytes)
		out->why = "it is longer than the memory for it";
	if (out->why)
		return PENDING_UNREADABLE;
	out->why = unpack(m->packed, packed_bytes, m->text, m->text_bytes);
	if (out->why)
		return PENDING_DAMAGED;
	out->text_bytes = n;
	return PENDING_VALID;
}

static enum pending read_text(const struct storage *s, const struct harvest_memory *m,
	struct harvested *out)
{
	enum pending pending = store_find(s, &out->header, &out->why);

	if (pending == PENDING_VALID)
		pending = store_read(s, &out->header, m->packed, &out->why);
	return pending == PENDING_VALID ? unpack_text(m, out) : pending;
}

enum harvest harvest(const struct storage *s, const char *file_absent,
	const struct harvest_memory *m, struct harvested *out)
{
	out->text_bytes = 0;
	enum pending pending = read_text(s, m, out);

	if (pending == PENDING_UNREADABLE)
		return HARVEST_KEPT;
	if (pending != PENDING_VALID) {
		store_erase(s); /* with PENDING_NONE there may be chunks without a header */
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
