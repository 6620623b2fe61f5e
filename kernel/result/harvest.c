/* SPDX-License-Identifier: MIT */
#include "kernel/result/harvest.h"

#include <string.h>

#include "kernel/firmware/firmware_calls.h"
#include "lib/pack.h"
#include "lib/text.h"

#define SAME_NAME_MOST 99 /* results of one name: of one second, or of a clock that stands still */

/* "x.ndjson" for i 1, "x-2.ndjson" for 2. */
static void name_of(const char *name, unsigned i, char out[STORED_RESULT_FILE])
{
	const char *dot = name + strlen(name);

	for (const char *at = name; *at; at++)
		if (*at == '.')
			dot = at;
	int most = STORED_RESULT_FILE - 4 - (int)strlen(dot), stem = (int)(dot - name);

	if (i == 1)
		text_format(out, STORED_RESULT_FILE, "%s", name);
	else
		text_format(out, STORED_RESULT_FILE, "%.*s-%u%s", stem < most ? stem : most, name,
			i, dot);
}

/*
 * A name that no other result has: a file of that name does not exist, holds this result, or the
 * beginning of it, because the power failed while it was written. Returns how it compares.
 */
static enum file_match choose_name(const struct storage *s, const char *wanted, const char *text,
	size_t n, char name[STORED_RESULT_FILE])
{
	for (unsigned i = 1; i <= SAME_NAME_MOST; i++) {
		enum file_match match = FILE_OTHER;

		name_of(wanted, i, name);
		if (s->file_compare(name, text, n, &match) || match != FILE_OTHER)
			return match;
	}
	return FILE_OTHER;
}

/* "its file cannot be written: volume full" */
static const char *failed(const char *what, uint64_t status)
{
	static char text[80];

	text_format(text, sizeof text, "its file cannot be %s: %s", what, efi_status_text(status));
	return text;
}

/* Writes it here, under the name of the header or the next one. NULL, or what went wrong. */
static const char *write_here(const struct storage *s, const char *text, size_t n,
	char name[STORED_RESULT_FILE], bool *taken)
{
	char wanted[STORED_RESULT_FILE];
	enum file_match match;
	uint64_t status, closed;

	memcpy(wanted, name, sizeof wanted);
	if (choose_name(s, wanted, text, n, name) == FILE_SAME)
		return NULL; /* the power failed between the file and the deletion of the header */
	status = s->file_create(name);
	if (status)
		return failed("created", status);
	status = s->file_append(text, n);
	closed = s->file_close();
	if (status || closed) {
		s->file_delete(name); /* half a result would only take space */
		return failed("written", status ? status : closed);
	}
	status = s->file_compare(name, text, n, &match);
	if (status)
		return failed("read back", status);
	*taken = match == FILE_TAKEN;
	return match == FILE_SAME || *taken ? NULL : "its file does not read back as written";
}

/* The same, at the first place where it can be written. */
static const char *write_file(const struct storage *s, const char *text, size_t n,
	char name[STORED_RESULT_FILE], bool *taken)
{
	char wanted[STORED_RESULT_FILE];
	const char *why;

	memcpy(wanted, name, sizeof wanted);
	while ((why = write_here(s, text, n, name, taken)) && s->file_next_place())
		memcpy(name, wanted, sizeof wanted);
	return why;
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
	out->taken = false;
	*out->refused = 0;
	enum pending pending = read_text(s, m, out);

	if (pending == PENDING_UNREADABLE)
		return HARVEST_KEPT;
	if (pending != PENDING_VALID) {
		store_erase(s); /* with PENDING_NONE there may be chunks without a header */
		return pending == PENDING_NONE ? HARVEST_NOTHING : HARVEST_DAMAGED;
	}
	if (!stored_result_names_file(&out->header)) {
		memcpy(out->refused, out->header.file, sizeof out->refused);
		text_format(out->header.file, sizeof out->header.file, STORED_RESULT_OWN_NAME);
	}
	out->why = file_absent
		? file_absent
		: write_file(s, m->text, out->text_bytes, out->header.file, &out->taken);
	if (out->why)
		return HARVEST_KEPT;
	store_erase(s);
	return HARVEST_DONE;
}
