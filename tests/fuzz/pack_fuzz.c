/* SPDX-License-Identifier: MIT */
/*
 * The unpacker of the result variable. The first byte chooses: an even one unpacks the rest as it
 * is; an odd one packs it, which must come back the same.
 */
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

#include "lib/pack.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_MOST (64 * 1024) /* of an input that is packed */
#define OUT_MOST  (256 * 1024)

/* Not from malloc: the packer's memory is 4 MiB, which a sanitizer marks anew for each run. */
static unsigned char out[OUT_MOST];

/* Into memory that ends where the text should: what lies behind it may not be touched. */
static void unpack_any(const uint8_t *data, size_t n)
{
	size_t length = unpack_length(data, n), space = length < OUT_MOST ? length : OUT_MOST;

	if (length > PACK_TEXT_MOST)
		abort();
	if (!length)
		return;
	ASAN_POISON_MEMORY_REGION(out + space, OUT_MOST - space);
	const char *why = unpack(data, n, (char *)out, space);
	ASAN_UNPOISON_MEMORY_REGION(out, OUT_MOST);
	if (space < length && !why)
		abort();
}

static void pack_and_back(const uint8_t *data, size_t n)
{
	static unsigned char packed[TEXT_MOST + 1024];
	static void *work;
	static size_t work_bytes;

	if (!work)
		work = malloc(work_bytes = pack_work(TEXT_MOST));
	n = n < TEXT_MOST ? n : TEXT_MOST;
	size_t size = pack((const char *)data, n, packed, sizeof packed, work, work_bytes);

	if (!size || unpack_length(packed, size) != n || unpack(packed, size, (char *)out, n) ||
		memcmp(out, data, n))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 2)
		return 0;
	if (*data & 1)
		pack_and_back(data + 1, n - 1);
	else
		unpack_any(data + 1, n - 1);
	return 0;
}
