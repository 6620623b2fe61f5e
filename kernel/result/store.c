/* SPDX-License-Identifier: MIT */
/*
 * Power may fail between any two steps, and a single SetVariable either happens or does not (UEFI
 * 2.10 section 8.2). A result counts from the moment its header is written.
 *
 * Writing, at the end of room bare (nothing is pending then, see below):
 *   1 write chunk 00, 01, ...     Chunks left by an earlier power failure are overwritten, or lie
 *                                 beyond what the header counts. Power fails: there are chunks
 *                                 without a header; the next start deletes them.
 *   2 write the header            Power fails before: as above. After: the result is complete and
 *                                 will be harvested.
 *
 * Harvest, at the next start:
 *   1 read, check and unpack the chunks
 *   2 write the file, flush, read it back and compare. Its name is in the header, so that a second
 *     time makes the same file.   Power fails: header and chunks are still there; step 1 again.
 *   3 delete the header           Power fails before: the next start finds the file complete and
 *                                 only deletes. After: chunks without a header, as above.
 *   4 delete the chunks
 * If step 1 finds damage (a chunk is missing, a size or a checksum is wrong), the variables are
 * deleted and this start measures. If step 1 cannot read data that may be valid (GetVariable fails
 * with another error than EFI_NOT_FOUND, another version of the program wrote it, there is too
 * little memory), or step 2 fails, the variables stay and room bare is not entered, which would
 * overwrite them. So no result that was complete and undamaged is lost, and none becomes two files.
 *
 * An entry of room bare is counted before the room is entered, wherever variables can be set at all
 * (kernel/journal.h). The count is deleted by a harvest, or after the room if no result was to be
 * stored. After three entries without either (the result could not be written, or the machine
 * resets before it is), the room is left out once. If entries cannot be counted, nothing is stored,
 * and nothing resets.
 */
#include "kernel/result/store.h"

#include <string.h>

#include "kernel/watchdog/watchdog.h"
#include "lib/pack.h"
#include "lib/text.h"

#define BYTES_MIN      1024        /* no result fits into less */
#define BYTES_UNKNOWN  (16 * 1024) /* taken as free if the firmware does not say how much is */
#define BYTES_LEFT     5120        /* free bytes that must remain */
#define OVERHEAD_BYTES 128         /* of each variable: the firmware's header and the name */
#define DUMMY          "AnechoicDummy"

/*
 * Bytes that a result may take: at most half of the remaining space, for two reasons. Firmware may
 * not reclaim the space of deleted variables before the next start or a full store, so the next
 * result needs the other half. And some machines do not boot any more when their store is nearly
 * full: Linux refuses writes that would leave less than BYTES_LEFT (efi_query_variable_store() and
 * EFI_MIN_RESERVE in arch/x86/platform/efi/quirks.c, for Samsung laptops).
 */
size_t store_limit(const struct variable_store *s, const char **why)
{
	uint64_t remaining = s->size_known ? s->remaining : BYTES_UNKNOWN;
	uint64_t bytes = remaining / 2 < STORE_BYTES_MAX ? remaining / 2 : STORE_BYTES_MAX;

	if (remaining < BYTES_LEFT + bytes)
		bytes = remaining < BYTES_LEFT ? 0 : remaining - BYTES_LEFT;
	uint64_t chunks = bytes / STORED_RESULT_CHUNK + 1;
	uint64_t overhead = sizeof(struct stored_result) + (chunks + 1) * OVERHEAD_BYTES;

	*why = s->why_not;
	if (!s->usable || !s->usable_at_runtime)
		return 0;
	*why = "its variable store is nearly full";
	if (s->size_known && s->largest < STORED_RESULT_CHUNK + OVERHEAD_BYTES)
		return 0;
	return bytes < BYTES_MIN + overhead ? 0 : bytes - overhead;
}

/*
 * Make the firmware reclaim space, as Linux does (efi_query_variable_store() in
 * arch/x86/platform/efi/quirks.c): a variable that does not fit makes it look for space. If it fits
 * it is deleted at once.
 */
void store_reclaim(const struct storage *s, const struct variable_store *store, const void *memory)
{
	uint64_t n = store->remaining + 1024;

	if (!store->usable || !store->size_known || store->remaining >= STORE_SMALL)
		return;
	s->set(DUMMY, memory, n < store->largest ? n : store->largest);
	s->set(DUMMY, NULL, 0);
}

/* A harvest, for read_variable. */
struct reading {
	const struct storage *s;
	struct harvested *h;
};

/*
 * The steps of a harvest return NULL, or what is wrong; h->how then says what becomes of the
 * result. This step is a stored_result_get; *n may become a size larger than it was, too.
 */
static const char *read_variable(void *from, const char *name, void *data, size_t *n)
{
	const struct reading *r = from;
	uint64_t status = r->s->get(name, data, n);

	if (!status || status == EFI_STATUS_BUFFER_TOO_SMALL)
		return NULL;
	if (status == EFI_STATUS_NOT_FOUND)
		return "a chunk is missing";
	r->h->how = HARVEST_KEPT;
	return "the firmware does not return a variable of it";
}

static const char *read_header(struct reading *r)
{
	static unsigned char variable[STORED_RESULT_CHUNK]; /* another version's may be larger */
	struct harvested *h = r->h;
	size_t n = sizeof variable;

	memset(variable, 0, sizeof variable); /* a variable that does not fit leaves it unread */
	h->how = HARVEST_NOTHING;
	const char *why = read_variable(r, STORED_RESULT_NAME, variable, &n);
	if (why)
		return why;
	why = stored_result_check(variable, n, &h->header);
	h->how = why && stored_result_other_version(variable, n) ? HARVEST_KEPT : HARVEST_DAMAGED;
	return why;
}

/*
 * Unpack the text. The chunks' checksum is right, so a header that unpack does not know is no
 * damage.
 */
static const char *unpack_text(struct harvested *h)
{
	size_t bytes = h->header.payload_bytes, n = unpack_length(h->packed, bytes);

	if (!n || n > h->text_most) {
		h->how = HARVEST_KEPT;
		return n ? "it is longer than the memory for it"
			 : "its text is packed by another version";
	}
	const char *why = unpack(h->packed, bytes, h->text, n);

	h->text_bytes = why ? 0 : n;
	return why;
}

/* Write a variable and read it back. Returns NULL if it has these bytes now. */
static const char *write_variable(const struct storage *s, const char *name, const void *data,
	size_t n)
{
	static char back[STORED_RESULT_CHUNK];
	size_t bytes = sizeof back;
	watchdog_feed(); /* a reclaim of the store takes seconds */
	uint64_t status = s->set(name, data, n);

	if (status)
		return efi_status_text(status);
	if (s->get(name, back, &bytes) || bytes != n || memcmp(back, data, n))
		return "what it stores does not read back";
	return NULL;
}

const char *store_write(const struct storage *s, const char *file, const void *data, size_t n)
{
	struct stored_result h = stored_result_header(file, data, n);
	char name[STORED_RESULT_NAME_BYTES];
	const char *why = NULL;

	for (unsigned i = 0; i < h.chunks && !why; i++) {
		stored_result_chunk_name(name, i);
		why = write_variable(s, name, (const char *)data + (size_t)i * STORED_RESULT_CHUNK,
			stored_result_chunk_bytes(n, i));
	}
	if (!why)
		why = write_variable(s, STORED_RESULT_NAME, &h, sizeof h);
	if (why)
		store_erase(s);
	return why;
}

/* Delete a variable. Returns true if it existed. */
static bool erase(const struct storage *s, const char *name)
{
	static char data[STORED_RESULT_CHUNK];
	size_t n = sizeof data;
	uint64_t status = s->get(name, data, &n);

	watchdog_feed();
	if (status == 0 || n > sizeof data)
		s->set(name, NULL, 0);
	return status != EFI_STATUS_NOT_FOUND;
}

bool store_erase(const struct storage *s)
{
	char name[STORED_RESULT_NAME_BYTES];
	bool was = erase(s, STORED_RESULT_NAME);

	erase(s, DUMMY); /* the power failed in store_reclaim */
	for (unsigned i = 0; i < STORED_RESULT_CHUNKS; i++) {
		stored_result_chunk_name(name, i);
		erase(s, name);
	}
	return was;
}

#define SAME_NAME_MOST 99 /* results of one second, or of a clock that stands still */

/*
 * Choose a name that no other result has, "x.ndjson" or "x-2.ndjson": a file of that name does not
 * exist, holds this result, or its beginning, because the power failed while it was written.
 * Returns the outcome of the comparison.
 */
static enum file_match choose_name(const struct storage *s, struct harvested *h, const char *wanted)
{
	const char *dot = strchr(wanted, '.');
	char number[4] = "";

	if (!dot)
		dot = wanted + strlen(wanted);
	int stem = (int)(dot - wanted), most = STORED_RESULT_FILE - 4 - (int)strlen(dot);

	for (unsigned i = 2; i <= SAME_NAME_MOST + 1; i++) {
		enum file_match match = FILE_OTHER;

		text_format(h->header.file, STORED_RESULT_FILE, "%.*s%s%s", stem, wanted, number,
			dot);
		if (s->file_compare(h->header.file, h->text, h->text_bytes, &match) ||
			match != FILE_OTHER)
			return match;
		text_format(number, sizeof number, "-%u", i);
		stem = stem < most ? stem : most;
	}
	return FILE_OTHER;
}

/* Returns "its file cannot be written: volume full". */
static const char *failed(const char *what, uint64_t status)
{
	static char text[80];

	text_format(text, sizeof text, "its file cannot be %s: %s", what, efi_status_text(status));
	return text;
}

/* Write the file here, under the wanted name or the next free one. Returns NULL, or the error. */
static const char *write_here(const struct storage *s, struct harvested *h, const char *wanted)
{
	const char *name = h->header.file;
	enum file_match match = choose_name(s, h, wanted);
	uint64_t status, closed;

	if (match == FILE_SAME)
		return NULL; /* the power failed between the file and the deletion of the header */
	status = s->file_create(name);
	if (status)
		return failed("created", status);
	status = s->file_append(h->text, h->text_bytes);
	closed = s->file_close();
	if (status || closed) {
		s->file_delete(name); /* half a result would only take up space */
		return failed("written", status ? status : closed);
	}
	status = s->file_compare(name, h->text, h->text_bytes, &match);
	if (status)
		return failed("read back", status);
	h->taken = match == FILE_TAKEN;
	return match == FILE_SAME || h->taken ? NULL : "its file does not read back as written";
}

/* Write the file at the first place where that is possible. */
static const char *write_file(const struct storage *s, struct harvested *h)
{
	char wanted[STORED_RESULT_FILE];
	const char *why;

	memcpy(wanted, h->header.file, sizeof wanted);
	do
		why = write_here(s, h, wanted);
	while (why && s->file_next_place());
	return why;
}

enum harvest harvest(const struct storage *s, const char *file_absent, struct harvested *h)
{
	struct reading r = { s, h };

	h->text_bytes = 0;
	h->taken = false;
	*h->refused = 0;
	h->why = read_header(&r);
	if (!h->why)
		h->why = stored_result_read(&h->header, h->packed, read_variable, &r);
	if (!h->why)
		h->why = unpack_text(h);
	if (!h->why && !stored_result_names_file(&h->header)) {
		memcpy(h->refused, h->header.file, sizeof h->refused);
		text_format(h->header.file, sizeof h->header.file, STORED_RESULT_OWN_NAME);
	}
	if (!h->why) {
		h->why = file_absent ? file_absent : write_file(s, h);
		h->how = h->why ? HARVEST_KEPT : HARVEST_DONE;
	}
	if (h->how != HARVEST_KEPT)
		store_erase(s); /* there may be chunks without a header */
	return h->how;
}
