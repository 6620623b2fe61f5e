/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32.h"
#include "linux/report/allocate.h"
#include "linux/report/reading/frame.h"

#define CRC_KEY ",\"crc\":\""

_Static_assert(FRAME_TAIL == sizeof CRC_KEY - 1 + 8 + 2, "the end of a line");

static bool hex8(const char *s, uint32_t *value)
{
	static const char digits[16] = "0123456789abcdef";

	*value = 0;
	for (int i = 0; i < 8; i++) {
		const char *digit = memchr(digits, s[i], sizeof digits);
		if (!digit)
			return false;
		*value = *value << 4 | (uint32_t)(digit - digits);
	}
	return true;
}

/* Returns false for bytes that the writer never writes: they would reach a terminal as commands. */
static bool printable(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] < 0x20 || s[i] > 0x7e)
			return false;
		if (s[i] == '\\' && (++i == n || !strchr("\"\\", s[i])))
			return false;
	}
	return true;
}

bool frame_valid(const char *line, size_t n, const char **why)
{
	const char *tail = line + n - FRAME_TAIL;
	uint32_t want;

	if (n < sizeof FRAME_START - 1 || memcmp(line, FRAME_START, sizeof FRAME_START - 1))
		*why = "not a result line (it should start with " FRAME_START ")";
	else if (n < sizeof FRAME_START + FRAME_TAIL || memcmp(tail, CRC_KEY, sizeof CRC_KEY - 1) ||
		memcmp(line + n - 2, "\"}", 2) || !hex8(tail + sizeof CRC_KEY - 1, &want))
		*why = "cut: it does not end with its crc";
	else if (crc32_of(0, line, n - FRAME_TAIL) != want)
		*why = "its crc is wrong: bytes were lost or changed";
	else if (!printable(line, n))
		*why = "not written by anechoic: only printable ASCII stands in a result";
	else
		return true;
	return false;
}

const char *frame_end(const char *text, size_t n)
{
	const char *key = memmem(text, n, CRC_KEY, sizeof CRC_KEY - 1);

	if (!key || (size_t)(text + n - key) < FRAME_TAIL)
		return NULL;
	return key + FRAME_TAIL;
}

bool frame_add(struct frame_buffer *b, char c)
{
	if (b->n == FRAME_MOST)
		return false;
	if (b->n == b->capacity) {
		b->capacity = b->capacity ? 2 * b->capacity : 4096;
		b->text = resize(b->text, b->capacity);
	}
	b->text[b->n++] = c;
	return true;
}
