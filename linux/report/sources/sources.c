/* SPDX-License-Identifier: MIT */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/sources/sources.h"
#include "lib/text.h"
#include "linux/report/reading/results.h"

json_t *sources_load(void)
{
	json_error_t why;
	json_t *all = json_loads(sources_text, JSON_REJECT_DUPLICATES, &why);

	/* A test reads the file, too, so only a lack of memory can fail here. */
	if (!all)
		errx(2, "linux/report/sources/sources.json:%d: %s", why.line, why.text);
	return all;
}

const json_t *source_of(const json_t *sources, const char *letter)
{
	const json_t *source;
	size_t i;

	json_array_foreach(sources, i, source)
		if (!strcmp(text_of(source, "letter"), letter))
			return source;
	return NULL;
}

char *source_letters(const json_t *sources)
{
	const json_t *source;
	size_t i, bytes;
	char *text;
	FILE *out = text_stream(&text, &bytes);

	json_array_foreach(sources, i, source)
		fprintf(out, "%s%s", i ? " " : "", text_of(source, "letter"));
	fclose(out);
	return text;
}

/* The bytes of linux/report/sources/sources.json, ended by 0. */

__asm__(".pushsection .rodata\n"
	".globl sources_text\n"
	"sources_text: .incbin \"linux/report/sources/sources.json\"\n"
	".byte 0\n"
	".popsection\n");
