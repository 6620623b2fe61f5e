/* SPDX-License-Identifier: MIT */
/* The rows of a probe that no picture shows: beside each other, one picture for each unit. */
#include <string.h>

#include "lib/math.h"
#include "page/page_memory.h"
#include "page/pictures.h"
#include "page/shown_run.h"

#define LINES_MOST 40 /* of a picture; the page's table has all rows */

struct others {
	const char *probe, *unit;
	const struct subjects *subjects;
	char **lines;
	size_t nlines;
	struct dot *dots;
	size_t ndots;
	struct axis axis;
};

static bool is_other(const struct others *o, const struct result_row *row)
{
	return !strcmp(row->probe, o->probe) &&
		!picture_shows(o->subjects, row->probe, row->variant) &&
		math_finite(row->numbers[ROW_median]);
}

/* The unit of the n-th kind that such rows have, in the order of the rows; NULL: there is none. */
static const char *unit_of(const struct others *o, size_t n)
{
	const char *units[16];
	size_t found = 0;

	for (size_t i = 0; i < o->subjects->n; i++)
		for (size_t j = 0; j < o->subjects->list[i].run->nrows; j++) {
			const struct result_row *row = &o->subjects->list[i].run->rows[j];
			size_t k = 0;

			while (k < found && strcmp(units[k], row->unit))
				k++;
			if (!is_other(o, row) || k < found)
				continue;
			if (found == n)
				return row->unit;
			if (found < sizeof units / sizeof *units)
				units[found++] = row->unit;
		}
	return NULL;
}

/* Its label without the probe, which heads the picture; LINES_MOST: there is no room. */
static size_t line_of(struct others *o, const struct result_row *row)
{
	char text[ROW_LABEL];
	size_t i = 0;

	row_label(row, text);
	while (i < o->nlines && strcmp(o->lines[i], text))
		i++;
	if (i == o->nlines && i < LINES_MOST)
		*(char **)page_grow((void **)&o->lines, &o->nlines, sizeof(char *)) =
			page_text(text);
	return i;
}

static void add_row(struct others *o, const struct subject *subject, size_t at)
{
	const struct result_row *row = &subject->run->rows[at];
	size_t line = line_of(o, row);

	if (line == LINES_MOST)
		return;
	*(struct dot *)page_grow((void **)&o->dots, &o->ndots, sizeof(struct dot)) =
		(struct dot){ .line = (unsigned)line,
			.at = { row->numbers[ROW_median], 0, row->numbers[ROW_min],
				row->numbers[ROW_p90], (long)at, NULL },
			.colour = subject->colour,
			.run = subject->index };
}

/* Values over several powers of ten are shown so, but then all must be above 0. */
static void choose_axis(struct others *o)
{
	double least = __builtin_inf(), most = -least;

	for (size_t i = 0; i < o->ndots; i++) {
		least = math_min(least, o->dots[i].at.x);
		most = math_max(most, o->dots[i].at.x);
	}
	o->axis = axis_empty(least > 0 && most / least > 20 ? AXIS_LOG : AXIS_LINEAR, o->unit);
	for (size_t i = 0; i < o->ndots; i++) {
		axis_cover(&o->axis, o->dots[i].at.x);
		axis_cover(&o->axis, math_min(o->dots[i].at.high, 2 * most));
	}
	if (o->axis.kind == AXIS_LINEAR)
		axis_cover(&o->axis, 0);
}

/* Where the line has the word, after a blank; NULL: nowhere. */
static char *find_word(char *line, const char *word, size_t n)
{
	for (char *at = strchr(line, ' '); at; at = strchr(at + 1, ' '))
		if (strlen(at) > n && !memcmp(at + 1, word, n) && (at[n + 1] == ' ' || !at[n + 1]))
			return at;
	return NULL;
}

static bool all_have(const struct others *o, const char *word, size_t n)
{
	for (size_t i = 0; i < o->nlines; i++)
		if (!find_word(o->lines[i], word, n))
			return false;
	return true;
}

static void cut_word(struct others *o, const char *word, size_t n)
{
	for (size_t i = 0; n && i < o->nlines; i++) {
		char *at = find_word(o->lines[i], word, n);
		memmove(at, at + n + 1, strlen(at + n + 1) + 1);
	}
}

/* Words that are in all lines say nothing: "2M-pages". */
static void cut_common_words(struct others *o)
{
	char *first = o->nlines > 1 ? page_text(o->lines[0]) : NULL;

	for (char *word = first, *end; word && *word; word = end) {
		for (end = word; *end && *end != ' '; end++)
			;
		if (all_have(o, word, (size_t)(end - word)))
			cut_word(o, word, (size_t)(end - word));
		end += *end == ' ';
	}
	page_free(first);
}

static void collect(struct others *o)
{
	for (size_t i = 0; i < o->subjects->n; i++)
		for (size_t j = 0; j < o->subjects->list[i].run->nrows; j++) {
			const struct result_row *row = &o->subjects->list[i].run->rows[j];
			if (is_other(o, row) && !strcmp(row->unit, o->unit))
				add_row(o, &o->subjects->list[i], j);
		}
}

bool picture_others(const char *probe, size_t n, const struct subjects *subjects,
	struct drawing *drawing)
{
	struct others o = { .probe = probe, .subjects = subjects };

	o.unit = unit_of(&o, n);
	if (!o.unit)
		return false;
	collect(&o);
	choose_axis(&o);
	cut_common_words(&o);
	*drawing = (struct drawing){ .kind = DRAW_DOTS,
		.dots = { probe, subjects->banner, o.axis, (const char *const *)o.lines, o.nlines,
			o.dots, o.ndots, subjects->n == 1 } };
	if (!axis_ready(&drawing->dots.axis))
		drawing_free(drawing);
	return drawing->kind == DRAW_DOTS;
}
