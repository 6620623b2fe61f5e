/* SPDX-License-Identifier: MIT */
#include "kernel/result/show_result.h"

#include <string.h>

#include "infer/card.h"
#include "kernel/console/console.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"

/* A count of an object; 0 where it is missing. */
static unsigned count(struct line object, const char *key)
{
	struct member m;

	return line_find(object, key, &m) ? (unsigned)member_number(&m) : 0;
}

/* What the end line says of thinning. */
static void say_missing(struct line line)
{
	struct line thinned = line_object(line, KEY_THINNED);
	unsigned rows = count(thinned, KEY_ROWS), skips = count(thinned, KEY_SKIPS);

	if (!thinned.text)
		return;
	console_printf("left out to fit into EFI variables: the samples of each row");
	if (line_is(thinned, "short", "true"))
		console_printf(",\n  all but four digits and the main numbers of rows");
	if (skips)
		console_printf(", %u skip lines", skips);
	if (rows)
		console_printf("\n  and %u of %u rows", rows, rows + count(line, KEY_ROWS));
	console_printf("\n");
}

static void say_end(struct line line)
{
	char status[16];

	line_string(line, KEY_STATUS, status, sizeof status);
	console_printf("\n%s: %u rows, %u skipped\n", status, count(line, KEY_ROWS),
		count(line, KEY_SKIPS) + count(line_object(line, KEY_THINNED), KEY_SKIPS));
	say_missing(line);
}

static void print_text(void *to, const char *text, size_t n)
{
	console_write(text, n);
}

static struct card card;

/* Into the card; returns the end line. */
static struct line read_lines(const char *text, size_t n)
{
	struct line line, last = { NULL, 0 };

	card_begin(&card);
	for (const char *end = text + n; line_next(&text, end, &line);) {
		card_read(&card, line);
		if (line_kind(line) == LINE_END)
			last = line;
	}
	return last;
}

void show_result(const char *text, size_t n)
{
	struct line last = read_lines(text, n);

	card_print(&card, print_text, NULL);
	if (last.text)
		say_end(last);
}

void show_missing(const char *text, size_t n)
{
	say_missing(read_lines(text, n));
}
