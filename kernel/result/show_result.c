/* SPDX-License-Identifier: MIT */
#include "kernel/result/show_result.h"

#include <string.h>

#include "infer/card.h"
#include "kernel/console/console.h"
#include "lib/jsonl_read.h"
#include "lib/result_keys.h"

/* A count of an object; 0 where it is missing. */
static unsigned count(const char *object, size_t n, const char *key)
{
	struct member m;

	return member_find(object, n, key, &m) ? (unsigned)member_number(&m) : 0;
}

static bool is_true(const struct member *object, const char *key)
{
	struct member m;

	return member_find(object->value, object->value_bytes, key, &m) && *m.value == 't';
}

/* What the end line says of thinning. */
static void say_missing(const char *line, size_t n)
{
	struct member t;

	if (!member_find(line, n, KEY_THINNED, &t))
		return;
	unsigned rows = count(t.value, t.value_bytes, KEY_ROWS);
	unsigned skips = count(t.value, t.value_bytes, KEY_SKIPS);

	console_printf("left out to fit into EFI variables: the samples of each row");
	if (is_true(&t, "short"))
		console_printf(",\n  all but four digits and the main numbers of rows");
	if (skips)
		console_printf(", %u skip lines", skips);
	if (rows)
		console_printf("\n  and %u of %u rows", rows, rows + count(line, n, KEY_ROWS));
	console_printf("\n");
}

static void say_end(const char *line, size_t n)
{
	char status[16] = "";
	struct member m;
	unsigned skips = count(line, n, KEY_SKIPS);

	if (member_find(line, n, KEY_STATUS, &m))
		member_text(&m, status, sizeof status);
	if (member_find(line, n, KEY_THINNED, &m))
		skips += count(m.value, m.value_bytes, KEY_SKIPS);
	console_printf("\n%s: %u rows, %u skipped\n", status, count(line, n, KEY_ROWS), skips);
	say_missing(line, n);
}

static void print_text(void *to, const char *text, size_t n)
{
	console_write(text, n);
}

static struct card card;
static const char *last; /* the end line; NULL: none */
static size_t last_bytes;

static void read_lines(const char *text, size_t n)
{
	const char *end = text + n;
	struct member kind;

	card_begin(&card);
	last = NULL;
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
}

void show_result(const char *text, size_t n)
{
	read_lines(text, n);
	card_print(&card, print_text, NULL);
	if (last)
		say_end(last, last_bytes);
}

void show_missing(const char *text, size_t n)
{
	read_lines(text, n);
	if (last)
		say_missing(last, last_bytes);
}
