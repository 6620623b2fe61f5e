/* SPDX-License-Identifier: MIT */
/*
 * A result to be read, from the input of a fuzz target, and where the output goes. Streams and
 * memory are taken once.
 */
#ifndef TESTS_FUZZ_READ_INPUT_H
#define TESTS_FUZZ_READ_INPUT_H

#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32.h"
#include "linux/report/reading/results.h"
#include "tests/fuzz/fuzz.h"

/* The text that the reader is given. */
static struct {
	char *at;
	size_t n, space, read;
} input_text;

static inline void input_add(const void *data, size_t n)
{
	if (n > input_text.space - input_text.n) {
		input_text.space = 2 * (input_text.n + n);
		input_text.at = realloc(input_text.at, input_text.space);
		if (!input_text.at)
			abort();
	}
	if (n)
		memcpy(input_text.at + input_text.n, data, n);
	input_text.n += n;
}

static inline void seal(const char *line, size_t n)
{
	char crc[32];

	if (n && line[n - 1] == '}')
		n--;
	input_add(line, n);
	snprintf(crc, sizeof crc, ",\"crc\":\"%08x\"}\n", crc32_of(0, line, n));
	input_add(crc, strlen(crc));
}

static inline ssize_t input_read(void *cookie, char *out, size_t n)
{
	size_t left = input_text.n - input_text.read;

	n = n < left ? n : left;
	if (n)
		memcpy(out, input_text.at + input_text.read, n);
	input_text.read += n;
	return (ssize_t)n;
}

/* sealed: every line gets a right crc first, to get past the checksum. */
static inline void read_input(struct results *r, bool sealed, const uint8_t *data, size_t n)
{
	static FILE *in;
	const char *at = (const char *)data, *end = at + n;

	if (!in)
		in = fopencookie(NULL, "r", (cookie_io_functions_t){ .read = input_read });
	input_text.n = input_text.read = 0;
	while (sealed && at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		seal(at, (size_t)((stop ? stop : end) - at));
		at = stop ? stop + 1 : end;
	}
	input_add(at, (size_t)(end - at));
	__fpurge(in); /* what the reader left of the last input */
	clearerr(in);
	results_read(r, in, "fuzz-1");
}

static inline ssize_t discard(void *cookie, const char *data, size_t n)
{
	return (ssize_t)n;
}

/* A stream that keeps nothing. */
static inline FILE *discarded(void)
{
	static FILE *out;

	if (!out)
		out = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = discard });
	return out;
}

#endif
