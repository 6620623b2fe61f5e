/* SPDX-License-Identifier: MIT */
/*
 * The unpacker of the result variable. The first byte chooses: an even one unpacks the rest as it
 * is; an odd one packs it, which must come back the same.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/pack.h"
#include "tests/fuzz/fuzz.h"

static void unpack_any(const uint8_t *data, size_t n)
{
	size_t length = unpack_length(data, n);
	char *text;

	if (length > PACK_TEXT_MOST)
		abort();
	if (!length)
		return;
	text = malloc(length);
	if (text)
		unpack(data, n, text, length);
	free(text);
}

static void pack_and_back(const uint8_t *data, size_t n)
{
	size_t capacity = n + 1024, work = pack_work(n);
	char *packed = malloc(capacity), *scratch = malloc(work), *text = malloc(n + 1);
	size_t size = pack((const char *)data, n, packed, capacity, scratch, work);

	if (!size || unpack_length(packed, size) != n || unpack(packed, size, text, n) ||
		memcmp(text, data, n))
		abort();
	free(packed);
	free(scratch);
	free(text);
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
