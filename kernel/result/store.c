/* SPDX-License-Identifier: MIT */
/*
 * Power may fail between any two steps, and a single SetVariable either happens or does not (UEFI
 * 2.10 section 8.2). A result counts from the moment its header is written.
 *
 * Writing, at the end of room bare (nothing is pending then, see below):
 *   1 write chunk 00, 01, ...     Chunks that an earlier power failure left are overwritten, or lie
 *                                 beyond what the header counts. Power fails: there are chunks
 *                                 without a header; the next start deletes them.
 *   2 write the header            Power fails before: as above. After: the result is complete and
 *                                 will be harvested.
 *
 * Harvest, at the next start (kernel/result/harvest.c):
 *   1 read, check and unpack the chunks
 *   2 write the file, flush, read it back and compare. Its name is in the header, so that a second
 *     time makes the same file.   Power fails: header and chunks are still there; step 1 again.
 *   3 delete the header           Power fails before: the next start finds the file complete and
 *                                 only deletes. After: chunks without a header, as above.
 *   4 delete the chunks
 * If step 1 finds damage (a chunk is missing, a size or a checksum is wrong), the variables are
 * deleted and this start measures. If step 1 cannot read what may be valid (GetVariable fails
 * otherwise than by EFI_NOT_FOUND, another version of the program wrote it, there is too little
 * memory), or step 2 fails, the variables stay and room bare is not entered, which would overwrite
 * them. So no result that was complete and undamaged is lost, and none becomes two files.
 *
 * The counter of entries of room bare is written before the room is entered, wherever variables can
 * be set at all. It is deleted by a harvest, or after the room where no result was to be stored.
 * After three entries without either (the result could not be written, or the machine resets before
 * it is), the room is left out once. Where entries cannot be counted nothing is stored, and nothing
 * resets.
 */
#include <string.h>

#include "kernel/result/store.h"
#include "kernel/firmware/firmware_calls.h"
#include "lib/crc32.h"

#define BARE_ENTRIES   "AnechoicStarts" /* the variable that counts them */
#define BYTES_MIN      1024             /* no result fits into less */
#define BYTES_UNKNOWN  (16 * 1024) /* taken as free where the firmware does not say how much is */
#define BYTES_LEFT     5120        /* that a result leaves free */
#define OVERHEAD_BYTES 128         /* of any variable: the firmware's header and the name */
#define DUMMY          "AnechoicDummy"

const struct storage firmware_storage = {
	.get = firmware_variable_get,
	.set = firmware_variable_set,
	.file_create = firmware_file_create,
	.file_append = firmware_file_append,
	.file_close = firmware_file_close,
	.file_compare = firmware_file_compare,
	.file_read = firmware_file_read,
	.file_delete = firmware_file_delete,
	.file_next_place = firmware_file_next_place,
};

/*
 * At most half of what remains, for two reasons. Firmware may not reclaim the space of deleted
 * variables before the next start or a full store, so the next result needs the other half. And
 * some machines do not boot any more when their store is nearly full: Linux refuses writes that
 * would leave less than BYTES_LEFT (efi_query_variable_store() and EFI_MIN_RESERVE in
 * arch/x86/platform/efi/quirks.c, for Samsung laptops).
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
 * As Linux does it (efi_query_variable_store() in arch/x86/platform/efi/quirks.c): a variable for
 * which there is no space makes the firmware look for some. It is deleted at once if it fits.
 */
void store_reclaim(const struct storage *s, const struct variable_store *store, const void *memory)
{
	uint64_t n = store->remaining + 1024;

	if (!store->usable || !store->size_known || store->remaining >= STORE_SMALL)
		return;
	s->set(DUMMY, memory, n < store->largest ? n : store->largest);
	s->set(DUMMY, NULL, 0);
}

/*
 * Reads a variable into at most *n bytes; *n is its size then, or larger than it was. PENDING_NONE:
 * there is no such variable.
 */
static enum pending read_variable(const struct storage *s, const char *name, void *data, size_t *n,
	const char **why)
{
	uint64_t status = s->get(name, data, n);

	*why = NULL;
	if (status == EFI_STATUS_NOT_FOUND)
		return PENDING_NONE;
	if (!status || status == EFI_STATUS_BUFFER_TOO_SMALL)
		return PENDING_VALID;
	*why = "the firmware does not return a variable of it";
	return PENDING_UNREADABLE;
}

enum pending store_find(const struct storage *s, struct stored_result *header, const char **why)
{
	static unsigned char variable[STORED_RESULT_CHUNK]; /* another version's may be larger */
	size_t n = sizeof variable;
	enum pending pending;

	memset(variable, 0, sizeof variable); /* nothing is read of one that does not fit */
	pending = read_variable(s, STORED_RESULT_NAME, variable, &n, why);
	if (pending != PENDING_VALID)
		return pending;
	*why = stored_result_check(variable, n, header);
	if (!*why)
		return PENDING_VALID;
	return stored_result_other_version(variable, n) ? PENDING_UNREADABLE : PENDING_DAMAGED;
}

static enum pending read_chunk(const struct storage *s, unsigned i, void *out, size_t expected,
	const char **why)
{
	char name[STORED_RESULT_NAME_BYTES];
	size_t n = expected;

	stored_result_chunk_name(name, i);
	enum pending pending = read_variable(s, name, out, &n, why);
	if (pending == PENDING_UNREADABLE)
		return pending;
	*why = pending == PENDING_NONE ? "a chunk is missing"
		: n != expected        ? "a chunk has another size"
				       : NULL;
	return *why ? PENDING_DAMAGED : PENDING_VALID;
}

enum pending store_read(const struct storage *s, const struct stored_result *h, void *out,
	const char **why)
{
	for (unsigned i = 0; i < h->chunks; i++) {
		enum pending pending =
			read_chunk(s, i, (char *)out + (size_t)i * STORED_RESULT_CHUNK,
				stored_result_chunk_bytes(h->payload_bytes, i), why);

		if (pending != PENDING_VALID)
			return pending;
	}
	*why = crc32_of(0, out, h->payload_bytes) == h->payload_crc ? NULL
								    : "its checksum is wrong";
	return *why ? PENDING_DAMAGED : PENDING_VALID;
}

/* NULL: the variable has these bytes now. */
static const char *write_variable(const struct storage *s, const char *name, const void *data,
	size_t n)
{
	static char back[STORED_RESULT_CHUNK];
	size_t bytes = sizeof back;
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

static void erase(const struct storage *s, const char *name)
{
	static char data[STORED_RESULT_CHUNK];
	size_t n = sizeof data;

	if (s->get(name, data, &n) == 0 || n > sizeof data)
		s->set(name, NULL, 0);
}

void store_erase(const struct storage *s)
{
	char name[STORED_RESULT_NAME_BYTES];

	erase(s, STORED_RESULT_NAME);
	erase(s, DUMMY); /* the power failed in store_reclaim */
	for (unsigned i = 0; i < STORED_RESULT_CHUNKS; i++) {
		stored_result_chunk_name(name, i);
		erase(s, name);
	}
}

unsigned store_bare_entries(const struct storage *s)
{
	uint8_t entries = 0;
	size_t n = sizeof entries;

	return s->get(BARE_ENTRIES, &entries, &n) ? 0 : entries;
}

bool store_count_bare_entry(const struct storage *s, unsigned entries)
{
	uint8_t count = (uint8_t)entries;

	return s->set(BARE_ENTRIES, &count, sizeof count) == 0 && store_bare_entries(s) == count;
}

void store_reset_bare_entries(const struct storage *s)
{
	erase(s, BARE_ENTRIES);
}
