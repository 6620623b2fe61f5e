/* SPDX-License-Identifier: MIT */
/* anechoic.cfg and the load options; the last line of the input is the latter. */
#include <stdlib.h>
#include <string.h>

#include "kernel/config.h"
#include "tests/fuzz/fuzz.h"

static void say(const char *line)
{
	if (strlen(line) > 4096)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const uint8_t *last = n ? memrchr(data, '\n', n) : NULL;
	size_t first = last ? (size_t)(last + 1 - data) : 0;
	struct text file = { .data = data, .bytes = first };
	struct text words = { .data = data + first, .bytes = n - first };
	struct config config;

	memset(&config, 'x', sizeof config);
	config_parse(&config, &file, &words, say);
	for (unsigned i = 0; i < config.errors && i < CONFIG_ERRORS; i++)
		if (!memchr(config.error[i], 0, CONFIG_LINE) || !*config.error[i])
			abort(); /* a refusal says why */
	return 0;
}
