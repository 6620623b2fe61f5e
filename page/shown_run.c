/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/page_memory.h"
#include "page/shown_run.h"

static const char *const statistics[ROW_STATISTICS] = {
#define STATISTIC(name, when) #name,
#include "lib/row_statistics.inc"
#undef STATISTIC
};

/* The string of that value once for all rows that have it. */
static const char *word(struct shown_run *run, const struct member *m)
{
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

static size_t count(const struct member *array)
{
	const char *at = array->value, *end = at + array->value_bytes;
	struct member element;
	size_t n = 0;

	while (element_next(&at, end, &element))
		n++;
	return n;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct shown_parameter *)a)->name,
		((const struct shown_parameter *)b)->name);
}

static void read_parameters(struct shown_run *run, struct shown_row *row, const struct member *m)
{
	const char *at = m->value, *end = at + m->value_bytes;
	struct member member;

	while (member_next(&at, end, &member)) {
		double value = member_number(&member);
		/* a key is a string, with its quotes around it */
		struct member key = { .value = member.key - 1,
			.value_bytes = member.key_bytes + 2 };

		if (math_finite(value))
			*(struct shown_parameter *)page_grow((void **)&row->params, &row->nparams,
				sizeof *row->params) =
				(struct shown_parameter){ word(run, &key), value };
	}
	page_sort(row->params, row->nparams, sizeof *row->params, by_name);
}

static void read_statistic(struct shown_row *row, const struct member *m)
{
	for (size_t i = 0; i < ROW_STATISTICS; i++)
		if (member_is(m, statistics[i])) {
			row->numbers[i] = member_number(m);
			row->texts[i] = m->value;
		}
}

static void read_member(struct shown_run *run, struct shown_row *row, const struct member *m)
{
	if (member_is(m, KEY_PROBE))
		row->probe = word(run, m);
	else if (member_is(m, KEY_VARIANT))
		row->variant = word(run, m);
	else if (member_is(m, KEY_UNIT))
		row->unit = word(run, m);
	else if (member_is(m, KEY_LEVEL))
		row->level = word(run, m);
	else if (member_is(m, KEY_PARAMS))
		read_parameters(run, row, m);
	else if (member_is(m, KEY_MORE))
		row->more = *m;
	else if (member_is(m, KEY_VALUES))
		row->values = *m;
	else
		read_statistic(row, m);
}

static void read_row(struct shown_run *run, struct line line)
{
	struct shown_row *row = page_grow((void **)&run->rows, &run->nrows, sizeof *row);
	const char *at = line.text, *end = at + line.n;
	struct member m;

	row->probe = row->variant = row->unit = row->level = "";
	for (size_t i = 0; i < ROW_STATISTICS; i++)
		row->numbers[i] = NOT_A_NUMBER;
	while (member_next(&at, end, &m))
		read_member(run, row, &m);
	if (row->values.value)
		row->nvalues = count(&row->values);
	if (!row->texts[ROW_samples])
		row->numbers[ROW_samples] = (double)row->nvalues;
	if (!row->texts[ROW_disturbed])
		row->numbers[ROW_disturbed] = 0;
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
		read_row(run, line);
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
	for (size_t i = 0; i < run->nrows; i++)
		page_free(run->rows[i].params);
	for (size_t i = 0; i < run->nwords; i++)
		page_free(run->words[i]);
	page_free(run->rows);
	page_free(run->words);
	page_free(run->summaries.line);
	page_free(run->skips.line);
}

double shown_parameter(const struct shown_row *row, const char *name)
{
	for (size_t i = 0; i < row->nparams; i++)
		if (!strcmp(row->params[i].name, name))
			return row->params[i].value;
	return NOT_A_NUMBER;
}

struct line row_more(const struct shown_row *row)
{
	return (struct line){ row->more.value, row->more.value_bytes };
}

double shown_number(const struct shown_row *row, const char *name)
{
	double value = shown_parameter(row, name);

	if (math_finite(value))
		return value;
	if (strlen(name) > 5 && !memcmp(name, "more.", 5))
		return line_number(row_more(row), name + 5);
	for (size_t i = 0; i < ROW_STATISTICS; i++)
		if (!strcmp(statistics[i], name))
			return row->numbers[i];
	return NOT_A_NUMBER;
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

static void add_parameters(const struct shown_row *row, char out[ROW_LABEL])
{
	for (size_t i = 0, used; i < row->nparams; i++) {
		used = strlen(out);
		label_parameter(row->params[i].name, row->params[i].value, out + used,
			ROW_LABEL - used);
	}
}

void row_label(const struct shown_row *row, char out[ROW_LABEL])
{
	text_format(out, ROW_LABEL, "%s", row->variant);
	add_parameters(row, out);
}

void row_label_parameters(const struct shown_row *row, char out[ROW_LABEL])
{
	*out = 0;
	add_parameters(row, out);
	if (*out)
		memmove(out, out + 1, strlen(out));
}
