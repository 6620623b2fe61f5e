/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/console/show.h"
#include "kernel/console/console.h"
#include "lib/jsonl_read.h"

/* A member's value without quotes, cut to the width; "-" for null or where there is none. */
static void text_of(const char *line, size_t n, const char *key, char *out, size_t bytes)
{
	struct member m;
	bool found = member_find(line, n, key, &m), quoted = found && m.value[0] == '"';
	size_t length = found ? m.value_bytes - (quoted ? 2 : 0) : 0;

	if (!found || (length == 4 && memcmp(m.value, "null", 4) == 0)) {
		memcpy(out, "-", 2);
		return;
	}
	if (length >= bytes)
		length = bytes - 1;
	memcpy(out, m.value + quoted, length);
	out[length] = 0;
}

/* false: it was not resolved. */
static bool show_summary(const char *line, size_t n)
{
	char name[29], value[17], unit[13], claimed[17];

	text_of(line, n, "name", name, sizeof name);
	text_of(line, n, "value", value, sizeof value);
	text_of(line, n, "unit", unit, sizeof unit);
	text_of(line, n, "claimed", claimed, sizeof claimed);
	if (value[0] == '-' && !value[1])
		return false;
	console_printf("  %-28s %16s %16s %s\n", name, value, claimed, unit);
	return true;
}

static void show_end(const char *line, size_t n, unsigned unresolved)
{
	char status[16], rows[12], skips[12];

	text_of(line, n, "status", status, sizeof status);
	text_of(line, n, "rows", rows, sizeof rows);
	text_of(line, n, "skips", skips, sizeof skips);
	console_printf("  %s: %s rows, %s skipped; %u values not resolved\n", status, rows, skips,
		unresolved);
}

void show_run(const char *text, size_t n)
{
	const char *end = text + n;
	unsigned unresolved = 0;
	struct member kind;

	if (n)
		console_printf("  %-28s %16s %16s\n", "", "measured", "claimed");
	while (text < end) {
		const char *line = text;

		while (text < end && *text++ != '\n')
			;
		if (!member_find(line, (size_t)(text - line), "kind", &kind))
			continue;
		if (member_equals(&kind, "summary"))
			unresolved += !show_summary(line, (size_t)(text - line));
		else if (member_equals(&kind, "end"))
			show_end(line, (size_t)(text - line), unresolved);
	}
}
