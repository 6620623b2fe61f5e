/* SPDX-License-Identifier: MIT */
/*
 * A result to be read, from the input of a fuzz target. The first byte chooses: an even one takes
 * the rest as it is; an odd one gives every line a right crc first, to get past the checksum.
 */
#ifndef TESTS_FUZZ_READ_INPUT_H
#define TESTS_FUZZ_READ_INPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32.h"
#include "report/reader.h"
#include "tests/fuzz/fuzz.h"

static inline void seal(FILE *out, const char *line, size_t n)
{
	if (n && line[n - 1] == '}')
		n--;
	fwrite(line, 1, n, out);
	fprintf(out, ",\"crc\":\"%08x\"}\n", crc32_of(0, line, n));
}

static inline void read_input(struct results *r, const uint8_t *data, size_t n)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	const char *at = (const char *)data + 1, *end = (const char *)data + n;

	while (*data & 1 && at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		seal(out, at, (size_t)((stop ? stop : end) - at));
		at = stop ? stop + 1 : end;
	}
	fwrite(at, 1, (size_t)(end - at), out);
	fclose(out);
	FILE *in = bytes ? fmemopen(text, bytes, "rb") : fopen("/dev/null", "rb");
	results_read(r, in, "fuzz-1");
	fclose(in);
	free(text);
}

#endif
