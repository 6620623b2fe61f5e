/* SPDX-License-Identifier: MIT */
#include "kernel/result/show_result.h"

#include <string.h>

#include "infer/card.h"
#include "kernel/console/console.h"
#include "lib/jsonl_read.h"
#include "lib/result_keys.h"

static void print_text(void *to, const char *text, size_t n)
{
	console_write(text, n);
}

/* A count of the end line; 0 where it is missing. */
static unsigned count(const char *line, size_t n, const char *key)
{
	struct member m;

	return member_find(line, n, key, &m) ? (unsigned)member_number(&m) : 0;
}

/* A count of the end line's `thinned`: of what did not fit. */
static unsigned left_out(const char *line, size_t n, const char *key)
{
	struct member thinned;

	if (!member_find(line, n, KEY_THINNED, &thinned))
		return 0;
	return count(thinned.value, thinned.value_bytes, key);
}

static void show_end(const char *line, size_t n)
{
	char status[16] = "";
	struct member m;

	if (member_find(line, n, KEY_STATUS, &m))
		member_text(&m, status, sizeof status);
	unsigned rows = left_out(line, n, KEY_ROWS);

	console_printf("\n%s: %u rows, %u skipped\n", status, count(line, n, KEY_ROWS),
		count(line, n, KEY_SKIPS) + left_out(line, n, KEY_SKIPS));
	if (rows)
		console_printf("%u more rows were measured; they did not fit into the variables\n",
			rows);
}

void show_result(const char *text, size_t n)
{
	static struct card card;
	const char *end = text + n, *last = NULL;
	struct member kind;
	size_t last_bytes = 0;

	card_begin(&card);
	while (text < end) {
		size_t bytes = 0;

		while (text + bytes < end && text[bytes] != '\n')
			bytes++;

		card_read(&card, text, bytes);
		if (member_find(text, bytes, KEY_KIND, &kind) && member_equals(&kind, KIND_END)) {
			last = text;
			last_bytes = bytes;
		}
		text += bytes + 1;
	}
	card_print(&card, print_text, NULL);
	if (last)
		show_end(last, last_bytes);
}
