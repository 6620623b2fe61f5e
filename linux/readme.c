/* SPDX-License-Identifier: MIT */
#include "linux/readme.h"

#include <stdio.h>
#include <string.h>

#include "linux/report/allocate.h"

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* Bytes of the mark that begins an item, "- " or "1. "; 0: the line begins none. */
static size_t item_mark(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	if (!strncmp(line, "- ", 2))
		return 2;
	return digits && !strncmp(line + digits, ". ", 2) ? digits + 2 : 0;
}

/* Returns true if a line continues the block before it. */
static bool continues(enum block_kind kind, const char *line)
{
	if (!*line || *line == '\n')
		return false;
	return kind == BLOCK_TEXT || (kind == BLOCK_ITEM && *line == ' ');
}

bool block_next(const char **at, struct readme_block *b)
{
	const char *line = *at;

	*b = (struct readme_block){ .kind = BLOCK_TEXT, .apart = *line == '\n' };
	while (*line == '\n' || !strncmp(line, "|--", 3)) /* below the head of a table */
		line = next_line(line);
	if (!*line)
		return false;
	if (*line == '#') {
		b->kind = BLOCK_HEADING;
		b->mark = strspn(line, "# ");
	} else if (*line == '|') {
		b->kind = BLOCK_ROW;
	} else if (!strncmp(line, "    ", 4)) {
		b->kind = BLOCK_CODE;
		b->mark = 4;
	} else if (item_mark(line)) {
		b->kind = BLOCK_ITEM;
		b->mark = item_mark(line);
	}
	b->text = line + b->mark;
	do {
		b->n = (size_t)(line - b->text) + strcspn(line, "\n");
		line = next_line(line);
	} while (continues(b->kind, line));
	*at = line;
	return true;
}

/* Returns true if "[" or "]" at `i` is a link's; *to is then the last byte of the mark. */
static bool is_link(const struct readme_block *b, size_t i, size_t *to)
{
	const char *close = memchr(b->text + i, ']', b->n - i);
	const char *end = close && close + 1 < b->text + b->n && close[1] == '('
		? memchr(close, ')', (size_t)(b->text + b->n - close))
		: NULL;

	if (end)
		*to = b->text[i] == '[' ? i : (size_t)(end - b->text);
	return end;
}

/* Ends a cell of a row: by ": " the first, by "; " the others, an empty one by nothing. */
static char *put_cell_end(const char *text, char *to, bool *first)
{
	while (to > text && to[-1] == ' ')
		to--;
	if (to == text || strchr(":;", to[-1]))
		return to;
	*to++ = *first ? ':' : ';';
	*first = false;
	*to++ = ' ';
	return to;
}

char *block_plain(const struct readme_block *b)
{
	char *text = new_array(2 * b->n + 1, 1), *to = text;
	bool code = false, first = true;

	for (size_t i = 0; i < b->n; i++) {
		char c = b->text[i];

		if (c == '`')
			code = !code;
		else if ((c == ' ' || c == '\n') && (to == text || to[-1] == ' '))
			continue;
		else if (!code && (c == '*' || ((c == '[' || c == ']') && is_link(b, i, &i))))
			continue;
		else if (c == '|' && b->kind == BLOCK_ROW)
			to = put_cell_end(text, to, &first);
		else
			*to++ = c == '\n' ? ' ' : c;
	}
	while (to > text && strchr(b->kind == BLOCK_ROW ? " ;:" : " ", to[-1]))
		to--;
	*to = 0;
	return text;
}

static enum item_sort sort_of(const struct readme_block *heading)
{
	static const struct {
		const char *heading;
		enum item_sort sort;
	} sorts[] = { { "What is timed", ITEM_VARIANT },
		{ "What misleads, and what is done", ITEM_MISLEADS }, { "Values", ITEM_VALUE } };

	for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
		if (heading->n == strlen(sorts[i].heading) &&
			!memcmp(heading->text, sorts[i].heading, heading->n))
			return sorts[i].sort;
	return ITEM_OTHER;
}

bool item_next(const char **at, enum item_sort *sort, struct readme_block *b)
{
	while (block_next(at, b)) {
		if (b->kind == BLOCK_HEADING && b->mark <= 3)
			*sort = sort_of(b);
		if (b->kind == BLOCK_ITEM && *sort != ITEM_OTHER)
			return true;
	}
	return false;
}

bool item_name(const struct readme_block *b, const char **at, char name[ITEM_NAME])
{
	const char *end = memchr(b->text, ':', b->n);
	const char *from = *at ? *at : b->text;
	const char *open = end && *b->text == '`' ? memchr(from, '`', (size_t)(end - from)) : NULL;
	const char *close = open ? memchr(open + 1, '`', (size_t)(end - open - 1)) : NULL;

	if (!close)
		return false;
	snprintf(name, ITEM_NAME, "%.*s", (int)(close - open - 1), open + 1);
	*at = close + 1;
	return true;
}
