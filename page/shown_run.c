/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/page_memory.h"
#include "page/shown_run.h"

/* The string of that value, stored once for all rows that have it. */
static const char *word(void *of, const struct member *m)
{
	struct shown_run *run = of;
	size_t most = m->value_bytes + 1;
	char *text = page_new(most, 1);

	member_text(m, text, most);
	for (size_t i = run->nwords; i-- > 0;)
		if (!strcmp(run->words[i], text)) {
			page_free(text);
			return run->words[i];
		}
	*(char **)page_grow((void **)&run->words, &run->nwords, sizeof(char *)) = text;
	return text;
}

static void keep(struct shown_lines *lines, struct line line)
{
	*(struct line *)page_grow((void **)&lines->line, &lines->n, sizeof line) = line;
}

void shown_run_take(struct shown_run *run, struct line line)
{
	switch (line_kind(line)) {
	case LINE_RUN:
		run->head = line;
		line_string(line, KEY_ROOM, run->room, sizeof run->room);
		break;
	case LINE_ROW:
		result_row_read(page_grow((void **)&run->rows, &run->nrows, sizeof *run->rows),
			line, word, run);
		break;
	case LINE_SKIP:
		keep(&run->skips, line);
		break;
	case LINE_SUMMARY:
		keep(&run->summaries, line);
		break;
	case LINE_END:
		run->end = line;
		break;
	case LINE_OTHER:
		break;
	}
}

void shown_run_read(struct shown_run *run, const char *text, size_t n)
{
	struct line line;

	*run = (struct shown_run){ .nrows = 0 };
	for (const char *end = text + n; line_next(&text, end, &line);)
		shown_run_take(run, line);
}

void shown_run_free(struct shown_run *run)
{
	for (size_t i = 0; i < run->nwords; i++)
		page_free(run->words[i]);
	page_free(run->rows);
	page_free(run->words);
	page_free(run->summaries.line);
	page_free(run->skips.line);
}

struct line shown_summary(const struct shown_run *run, const char *name)
{
	for (size_t i = 0; i < run->summaries.n; i++)
		if (line_is(run->summaries.line[i], KEY_NAME, name))
			return run->summaries.line[i];
	return (struct line){ NULL, 0 };
}

void label_parameter(const char *name, double value, char *out, size_t bytes)
{
	char size[SIZE_TEXT];

	size_text(value, size);
	if (!strcmp(name, "bytes"))
		text_format(out, bytes, " %s", size);
	else if (!strcmp(name, KEY_PAGE_BYTES))
		text_format(out, bytes, " %s-pages", size);
	else
		text_format(out, bytes, " %s=%.15g", name, value);
}

void row_label(const struct result_row *row, bool variant, char out[ROW_LABEL])
{
	text_format(out, ROW_LABEL, "%s", variant ? row->variant : "");
	for (size_t i = 0, used; i < row->nparams; i++) {
		used = strlen(out);
		label_parameter(row->params[i].name, row->params[i].value, out + used,
			ROW_LABEL - used);
	}
	if (*out == ' ')
		memmove(out, out + 1, strlen(out));
}
