/* SPDX-License-Identifier: MIT */
/*
 * The variables with a result, which anybody may have written. The input: a byte of flags, two for
 * the header's counts, the file's name, and the payload; with RAW all of it is the header.
 */
#include "lib/crc32.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/fake_storage.h"

enum { RAW = 1, PACKED = 2, OTHER_CHUNKS = 4, OTHER_BYTES = 8, LOST_CHUNK = 16 };

#define NAME_AT    3
#define PAYLOAD_AT (NAME_AT + STORED_RESULT_FILE - 1)
#define TEXT_MOST  (64 * 1024)

/* The packer's memory is 4 MiB: taken once. */
static size_t payload(uint8_t flags, const uint8_t *data, size_t n)
{
	static void *scratch;
	size_t work = pack_work(TEXT_MOST);

	if (!(flags & PACKED)) {
		n = n < sizeof packed ? n : sizeof packed;
		memcpy(packed, data, n);
		return n;
	}
	if (!scratch)
		scratch = malloc(work);
	n = n < TEXT_MOST ? n : TEXT_MOST;
	return pack((const char *)data, n, packed, sizeof packed, scratch, work);
}

/* Variables as a program would write them that wants this image to do harm: the sums are right. */
static void write_forged(const uint8_t *data, size_t n)
{
	char file[STORED_RESULT_FILE] = { 0 }, name[STORED_RESULT_NAME_BYTES];
	size_t bytes = payload(*data, data + PAYLOAD_AT, n - PAYLOAD_AT);

	memcpy(file, data + NAME_AT, sizeof file - 1);
	struct stored_result h = stored_result_header(file, packed, bytes);
	for (unsigned i = 0; i < h.chunks; i++) {
		stored_result_chunk_name(name, i);
		if (i || !(*data & LOST_CHUNK))
			set(name, packed + (size_t)i * STORED_RESULT_CHUNK,
				stored_result_chunk_bytes(bytes, i));
	}
	if (*data & OTHER_CHUNKS)
		h.chunks = data[1] * 0x01010101U;
	if (*data & OTHER_BYTES)
		h.payload_bytes = data[2] * 0x00000101U;
	h.header_crc = crc32_of(0, &h, offsetof(struct stored_result, header_crc));
	set(STORED_RESULT_NAME, &h, sizeof h);
}

/* Returns true if the written file's name leads nowhere else. */
static bool is_named_well(void)
{
	const char *name = "";

	for (unsigned i = 0; i < FILES && !*name; i++)
		name = files[i].name;
	return *name && *name != '.' &&
		name[strspn(name,
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-")] == 0;
}

/* Judge the image's treatment of the stored variables. */
static void judge(unsigned before)
{
	if (last == HARVEST_KEPT && count(variables, VARIABLES) < before)
		abort(); /* what is kept is whole */
	if (last == HARVEST_DONE &&
		(count(files, FILES) != 1 || count(variables, VARIABLES) || !is_named_well()))
		abort();
	if (last != HARVEST_DONE && count(files, FILES))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n <= PAYLOAD_AT)
		return 0;
	writes_refused_after = steps_left = -1U;
	if (*data & RAW)
		set(STORED_RESULT_NAME, data + 1, n - 1);
	else
		write_forged(data, n);
	unsigned before = count(variables, VARIABLES);
	harvest_result();
	judge(before);
	empty(variables, VARIABLES);
	empty(files, FILES);
	return 0;
}
