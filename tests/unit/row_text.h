/* SPDX-License-Identifier: MIT */
/* A planned row as a line of text, for tests to compare. */
#ifndef TESTS_UNIT_ROW_TEXT_H
#define TESTS_UNIT_ROW_TEXT_H

#include <stdio.h>

#include "engine/plan.h"
#include "engine/probe_api.h"

/* What a row says of itself: variant, parameters, level, unit, pages, rank and what it needs. */
static const char *text_of(const struct row *row)
{
	static char text[256];
	size_t n = (size_t)snprintf(text, sizeof text, "%s %s", row_text(row),
		row->level ? row->level : "-");

	n += (size_t)snprintf(text + n, sizeof text - n, " %s %lluK rank %u", row->unit->name,
		row->page_bytes / KIB, row->drop_order);
#define SAYS(when, word)                                                                           \
	if (when)                                                                                  \
	n += (size_t)snprintf(text + n, sizeof text - n, " " word)
	SAYS(row->needs & NEED_AVX2, "avx2");
	SAYS(row->needs & NEED_AVX512, "avx512");
	SAYS(row->needs & NEED_ERMS, "erms");
	SAYS(row->needs & NEED_CODE, "code");
	SAYS(row->needs & NEED_CPUS, "cpus");
	SAYS(row->needs & NEED_LINUX, "linux");
	SAYS(row->needs & NEED_RDTSCP, "rdtscp");
	SAYS(row->needs & NEED_CLFLUSH, "clflush");
	SAYS(row->first, "kept");
	SAYS(row->replays, "replays");
	return text;
}

#endif
