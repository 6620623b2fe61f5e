/* SPDX-License-Identifier: MIT */
#include "kernel/result/starts_file.h"

#include <string.h>

#include "kernel/firmware/firmware_calls.h"
#include "lib/text.h"

#define BYTES 256

static size_t write_text(const struct starts *s, char out[BYTES])
{
	int n = text_format(out, BYTES,
		"machine %u\nbare %u\nresets %u\nended %llu\n"
		"anechoic counts its starts here until a result has come home.\n",
		s->machine, s->bare, s->resets, (unsigned long long)s->ended);

	return (size_t)n;
}

/* The number after a word of a text that ends at `end`; 0 where there is none. */
static uint64_t number_after(const char *text, const char *end, const char *word)
{
	const char *at = text;
	size_t n = strlen(word);
	uint64_t value = 0;

	while (at + n < end && memcmp(at, word, n) != 0)
		at++;
	at += n;
	while (at < end && *at >= '0' && *at <= '9')
		value = 10 * value + (uint64_t)(*at++ - '0');
	return value;
}

void starts_read(const struct storage *s, uint32_t machine, struct starts *out)
{
	char text[BYTES];
	size_t n = sizeof text;

	*out = (struct starts){ .machine = machine };
	if (s->file_read(STARTS_FILE, text, &n))
		return;
	const char *end = text + n;
	if (number_after(text, end, "machine ") != machine)
		return;
	out->bare = (uint32_t)number_after(text, end, "bare ");
	out->resets = (uint32_t)number_after(text, end, "resets ");
	out->ended = number_after(text, end, "ended ");
}

static bool delete_file(const struct storage *s)
{
	uint64_t status = s->file_delete(STARTS_FILE);

	return !status || status == EFI_STATUS_NOT_FOUND;
}

bool starts_write(const struct storage *s, const struct starts *starts)
{
	enum file_match match = FILE_OTHER;
	char text[BYTES];
	size_t n = write_text(starts, text);

	if (!starts->bare && !starts->resets)
		return delete_file(s);
	if (s->file_create(STARTS_FILE))
		return false;
	bool failed = s->file_append(text, n);
	failed |= s->file_close() != 0;
	return !failed && !s->file_compare(STARTS_FILE, text, n, &match) && match == FILE_SAME;
}
