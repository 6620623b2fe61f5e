/* SPDX-License-Identifier: MIT */
#include "page/page_text.h"

#include "lib/pack.h"
#include "page/page_memory.h"

/* The files of page/files/ in the order of enum page_file: tools/pack-page. */
static const unsigned char packed[] = {
#include "page_files.inc"
};

char *page_texts(const char *of[PAGE_FILES])
{
	size_t n = unpack_length(packed, sizeof packed);
	char *text = page_new(n, 1), *at = text;

	unpack(packed, sizeof packed, text, n);
	for (int i = 0; i < PAGE_FILES; i++) {
		of[i] = at;
		while (*at++)
			;
	}
	return text;
}
