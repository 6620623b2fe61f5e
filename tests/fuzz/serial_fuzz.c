/* SPDX-License-Identifier: MIT */
/* The serial importer; what it saves must be sound lines, which it saves again unchanged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/reading/serial_log.h"
#include "tests/fuzz/fuzz.h"

static char *save(struct saved *saved, const void *data, size_t n, size_t *bytes)
{
	char *text;
	FILE *out = open_memstream(&text, bytes);
	FILE *in = n ? fmemopen((void *)data, n, "rb") : fopen("/dev/null", "rb");

	serial_save(saved, in, out);
	fclose(in);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct saved first, second;
	size_t bytes, again;
	char *text = save(&first, data, n, &bytes), *same = save(&second, text, bytes, &again);
	FILE *out = fopen("/dev/null", "w");

	saved_print(&first, out);
	fclose(out);
	if (bytes != again || memcmp(text, same, bytes) || first.kept != second.kept)
		abort();
	saved_free(&first);
	saved_free(&second);
	free(text);
	free(same);
	return 0;
}
