/* SPDX-License-Identifier: MIT */
/* A source's tables as text for people, and as JSON for programs: see source_table.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "linux/report/reading/results.h"
#include "linux/report/sources/source_table.h"
#include "linux/report/wrap.h"

#define CELL       9 /* columns of a figure and the space before it */
#define NAME_MOST  34
#define NAME_LEAST 5
#define NOTES_MOST 26 /* most reasons in one table that have a letter */

/*
 * Data common to the cells of a table: the reasons for absent answers, in the order met, whose
 * letters stand in the cells; and the decimals of figures on series, by column.
 */
struct notes {
	const char *reason[NOTES_MOST];
	size_t n;
	int *decimals;
};

/* The letter of a reason, new or met before; '?' beyond the last letter. */
static char note_of(struct notes *notes, const char *reason)
{
	for (size_t i = 0; i < notes->n; i++)
		if (!strcmp(notes->reason[i], reason))
			return (char)('a' + i);
	if (notes->n == NOTES_MOST)
		return '?';
	notes->reason[notes->n] = reason;
	return (char)('a' + notes->n++);
}

static void three_digits(char out[32], double value)
{
	snprintf(out, 32, fabs(value) >= 1000 && fabs(value) < 1e7 ? "%.0f" : "%.3g", value);
}

static int decimals(const json_t *figure)
{
	char text[32];
	const char *point;

	snprintf(text, sizeof text, "%.15g", json_number_value(figure));
	point = strchr(text, '.');
	return point ? (int)strlen(point + 1) : 0;
}

/* The decimals of all figures of a series: the source prints 0.70 and 4.0. */
static int decimals_of(const struct source_table *t, size_t column)
{
	int most = 0;

	for (size_t i = 0; i < t->nlines; i++) {
		const struct source_line *line = &t->lines[i];
		int own = line->title || isnan(line->x) ? 0 : decimals(line->cells[column].figure);
		if (own > most)
			most = own;
	}
	return most;
}

static void figure_text(char out[72], const struct source_line *line, size_t column,
	const struct notes *notes)
{
	const json_t *figure = line->cells[column].figure;

	if (json_is_string(figure))
		snprintf(out, 72, "%s", json_string_value(figure));
	else if (figure)
		snprintf(out, 72, "%.*f",
			isnan(line->x) ? decimals(figure) : notes->decimals[column],
			json_number_value(figure));
}

/*
 * Write an answer: a bracket if the value is its lower end, as on the card; a star for disturbed
 * samples; a question mark for a value that is hardly sure.
 */
static void answer_text(char out[72], const struct source_answer *a, struct notes *notes)
{
	char low[32], high[32];
	const char *mark = a->row && a->row->disturbed > 0       ? "*"
		: number_of(a->summary, KEY_CONFIDENCE) < UNSURE ? "?"
								 : "";

	three_digits(low, a->value);
	three_digits(high, a->high);
	if (isnan(a->value))
		snprintf(out, 72, "-%c", note_of(notes, a->reason));
	else if (a->low == a->value && a->high > a->low && strcmp(low, high))
		snprintf(out, 72, "%s..%s%s", low, high, mark);
	else
		snprintf(out, 72, "%s%s", low, mark);
}

static void cell_text(char out[72], const struct source_table *t, const struct source_line *line,
	size_t column, struct notes *notes)
{
	*out = 0;
	if (t->columns[column].machine)
		figure_text(out, line, column, notes);
	else if (line->cells[column].asked)
		answer_text(out, &line->cells[column].answer, notes);
}

static int name_width(const struct source_table *t)
{
	size_t width = NAME_LEAST;

	for (size_t i = 0; i < t->nlines; i++)
		if (!t->lines[i].title && strlen(t->lines[i].name) > width)
			width = strlen(t->lines[i].name);
	return width > NAME_MOST ? NAME_MOST : (int)width;
}

/* Write a line without the spaces at its end; nothing if it is empty. Frees the text. */
static void put_trimmed_line(FILE *out, char *text)
{
	size_t n = strlen(text);

	while (n && text[n - 1] == ' ')
		n--;
	if (n)
		fprintf(out, "%.*s\n", (int)n, text);
	free(text);
}

/* The heading of a column; empty if the column before has the same. */
static const char *heading(const struct source_table *t, size_t column)
{
	const char *name = text_of(t->columns[column].quantity, "name");

	if (column && t->columns[column - 1].at == t->columns[column].at)
		return "";
	return *name ? name : text_of(t->columns[column].quantity, "unit");
}

static const char *whose(const struct source_table *t, size_t column)
{
	return t->columns[column].machine ? t->columns[column].machine : "here";
}

static void print_heads(FILE *out, const struct source_table *t, int width,
	const char *text_of_column(const struct source_table *, size_t))
{
	char *text;
	size_t bytes;
	FILE *line = text_stream(&text, &bytes);

	fprintf(line, "  %-*s", width, "");
	for (size_t c = 0; c < t->ncolumns; c++)
		fprintf(line, " %*s", CELL - 1, text_of_column(t, c));
	fclose(line);
	put_trimmed_line(out, text);
}

/* Returns true if a point of a series has no number at all: it may share a line with its like. */
static bool empty(const struct source_table *t, const struct source_line *line)
{
	for (size_t c = 0; line->cells && c < t->ncolumns; c++)
		if (line->cells[c].figure ||
			(line->cells[c].asked && !line->cells[c].answer.reason))
			return false;
	return !isnan(line->x);
}

static bool same_reasons(const struct source_table *t, const struct source_line *a,
	const struct source_line *b)
{
	for (size_t c = 0; c < t->ncolumns; c++) {
		const char *p = a->cells[c].answer.reason, *q = b->cells[c].answer.reason;
		if (!p != !q || (p && strcmp(p, q)))
			return false;
	}
	return true;
}

/*
 * The number of lines from `at` on that are printed as one: empty points for the same reasons, or a
 * single line.
 */
static size_t joined(const struct source_table *t, size_t at)
{
	size_t n = 1;

	while (empty(t, &t->lines[at]) && at + n < t->nlines && empty(t, &t->lines[at + n]) &&
		same_reasons(t, &t->lines[at], &t->lines[at + n]))
		n++;
	return n;
}

/*
 * Print n lines as one. A text too long for its column moves the following ones only as far as
 * needed.
 */
static void print_line(FILE *out, const struct source_table *t, const struct source_line *line,
	size_t n, int width, struct notes *notes)
{
	char cell[72], *text;
	size_t bytes;
	FILE *row = text_stream(&text, &bytes);
	int late = fprintf(row, "  %s%s%s%s", line->name, n > 1 ? ".." : "",
			   n > 1 ? line[n - 1].name : "", line->title ? ":" : "") -
		width - 2;

	for (size_t c = 0; !line->title && c < t->ncolumns; c++) {
		int space = CELL - 1 - late;
		cell_text(cell, t, line, c, notes);
		late += fprintf(row, " %*s", space > 0 ? space : 0, cell) - CELL;
	}
	fclose(row);
	put_trimmed_line(out, text);
}

static void print_lines(FILE *out, const struct source_table *t, int width)
{
	struct notes notes = { .n = 0, .decimals = new_array(t->ncolumns, sizeof(int)) };
	char start[16];

	for (size_t c = 0; c < t->ncolumns; c++)
		notes.decimals[c] = decimals_of(t, c);
	for (size_t i = 0, n; i < t->nlines; i += n) {
		n = joined(t, i);
		print_line(out, t, &t->lines[i], n, width, &notes);
	}
	for (size_t i = 0; i < notes.n; i++) {
		snprintf(start, sizeof start, "  -%c absent: ", (char)('a' + i));
		print_wrapped(out, start, notes.reason[i]);
	}
	free(notes.decimals);
}

static bool has_figures(const struct source_table *t)
{
	for (size_t c = 0; c < t->ncolumns; c++)
		if (t->columns[c].machine)
			return true;
	return false;
}

/* Print the page sizes of the answers, each once: they are part of the numbers. */
static void print_pages(FILE *out, const struct source_table *t)
{
	char size[SIZE_TEXT];
	double last = 0;

	for (;;) {
		double next = INFINITY;
		for (size_t i = 0; i < t->nlines; i++)
			for (size_t c = 0; t->lines[i].cells && c < t->ncolumns; c++) {
				const struct row_data *row = t->lines[i].cells[c].answer.row;
				double page = row ? row_parameter(row->json, KEY_PAGE_BYTES) : 0;
				if (page > last && page < next)
					next = page;
			}
		if (isinf(next))
			break;
		size_text(next, size);
		fprintf(out, "%s%s", last > 0 ? ", " : "  pages:   ", size);
		last = next;
	}
	if (last > 0)
		fputc('\n', out);
}

/*
 * Write the form and the doubt of a summary value, as the card has it: "LRU, 82 %, CPUID claims 12,
 * quiet 14".
 */
static void put_doubt(FILE *out, const char *name, const struct source_answer *a)
{
	double claimed = number_of(a->summary, KEY_CLAIMED),
	       quiet = number_of(a->summary, KEY_FLOOR);
	const char *form = text_of(a->summary, KEY_FORM);
	char number[32];

	fprintf(out, "%s %s%s%.0f %%", name, form, *form ? ", " : "",
		100 * number_of(a->summary, KEY_CONFIDENCE));
	three_digits(number, claimed * a->times);
	if (!isnan(claimed) && json_is_false(json_object_get(a->summary, KEY_AGREES)))
		fprintf(out, ", CPUID claims %s", number);
	three_digits(number, quiet * a->times);
	if (!isnan(quiet))
		fprintf(out, ", in quiet moments %s", number);
	fputc(';', out);
}

/* Print how sure the table's summary values are: in doubt they are as here as on the card. */
static void print_sure(FILE *out, const struct source_table *t)
{
	char *text;
	size_t bytes, n = 0;
	FILE *sure = text_stream(&text, &bytes);

	for (size_t i = 0; i < t->nlines; i++)
		for (size_t c = 0; t->lines[i].cells && c < t->ncolumns; c++) {
			const struct source_answer *a = &t->lines[i].cells[c].answer;
			if (isnan(number_of(a->summary, KEY_CONFIDENCE)))
				continue;
			fputs(n++ ? " " : "", sure);
			put_doubt(sure, t->lines[i].name, a);
		}
	fclose(sure);
	if (n) {
		text[bytes - 1] = 0;
		print_wrapped(out, "  sure:    ", text);
	}
	free(text);
}

/* Returns true if the run has a value of that line's quantity. */
static bool has_value(const struct source_table *t, const struct source_line *line, size_t quantity)
{
	for (size_t c = 0; c < t->ncolumns; c++)
		if (t->columns[c].at == quantity && line->cells[c].asked)
			return !line->cells[c].answer.reason;
	return false;
}

/* Add the counts of a table. */
static void count_cells(const struct source_table *t, struct source_counts *counts)
{
	size_t cells = 0, answered = 0;

	for (size_t i = 0; i < t->nlines; i++)
		for (size_t c = 0; t->lines[i].cells && c < t->ncolumns; c++) {
			const struct source_line *line = &t->lines[i];
			const struct source_cell *cell = &line->cells[c];
			counts->figures += cell->figure != NULL;
			counts->beside += cell->figure && has_value(t, line, t->columns[c].at);
			cells += cell->asked;
			answered += cell->asked && !cell->answer.reason;
		}
	counts->cells += cells;
	counts->answered += answered;
	counts->empty += cells && !answered;
}

/* Print the command of a run that has the missing rows. */
static void print_command(FILE *out, const struct source_table *t, const json_t *source,
	const struct run_data *run)
{
	const char *letter = text_of(source, "letter");
	struct source_counts counts = { 0 };

	count_cells(t, &counts);
	if (counts.answered < counts.cells && strcmp(text_of(run->head, KEY_SOURCE), letter))
		fprintf(out, "  all rows: anechoic run --source %s\n", letter);
}

static void print_table(FILE *out, const struct source_table *t, const char *mark)
{
	const char *why = text_of(t->experiment, "why"),
		   *apart = text_of(t->experiment, "machine_why");
	int width = name_width(t);

	fprintf(out, "\n%s%s%s\n", text_of(t->experiment, "name"), *mark ? "  " : "", mark);
	print_wrapped(out, "  place:   ", text_of(t->experiment, "place"));
	print_wrapped(out, "  there:   ", text_of(t->experiment, "there"));
	print_wrapped(out, "  here:    ", text_of(t->experiment, "here"));
	if (*why)
		print_wrapped(out, "  differs: ", why);
	if (*apart)
		print_wrapped(out, "  machine: ", apart);
	print_pages(out, t);
	if (!has_figures(t))
		print_wrapped(out, "  figures: ", "none found in the source");
	print_heads(out, t, width, heading);
	print_heads(out, t, width, whose);
	print_lines(out, t, width);
	print_sure(out, t);
}

static void print_machines(FILE *out, const json_t *source)
{
	const char *name;
	char start[32];
	json_t *what;

	json_object_foreach(json_object_get(source, "machines"), name, what) {
		snprintf(start, sizeof start, "  %-8s ", name);
		print_wrapped(out, start, json_string_value(what));
	}
}

void source_print(const json_t *source, const struct run_data *run, const char *mark, FILE *out)
{
	struct source_counts counts = { 0 };
	const json_t *experiment;
	char start[32], legend[160];
	size_t i;

	snprintf(start, sizeof start, "\n%s: ", text_of(source, "letter"));
	print_wrapped(out, start, text_of(source, "title"));
	print_wrapped(out, "figures by: ", text_of(source, "known_from"));
	print_machines(out, source);
	fprintf(out, "  %-8s this run, room %s%s%s\n", "here", run->room, *mark ? ", " : "", mark);
	snprintf(legend, sizeof legend,
		"(a star: some samples were disturbed; 22..32: somewhere between; a question mark: "
		"less than %.0f %% sure)",
		100 * UNSURE);
	print_wrapped(out, "  ", legend);
	json_array_foreach(json_object_get(source, "experiments"), i, experiment) {
		struct source_table table;
		source_table_fill(&table, source, experiment, run);
		print_table(out, &table, mark);
		print_command(out, &table, source, run);
		count_cells(&table, &counts);
		source_table_free(&table);
	}
	fprintf(out,
		"\n%s: %zu of %zu cells and %zu of its %zu figures answered; "
		"%zu table%s without a value\n",
		text_of(source, "letter"), counts.answered, counts.cells, counts.beside,
		counts.figures, counts.empty, text_plural(counts.empty));
}

/* A source's tables for programs: docs/format.md, "show --source --json". */

static json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *answer_json(const struct source_answer *a)
{
	json_t *object = json_pack("{s:o}", KEY_VALUE, json_number(a->value));

	if (!isnan(a->low))
		json_object_set_new(object, KEY_LOW, json_number(a->low));
	if (!isnan(a->high))
		json_object_set_new(object, KEY_HIGH, json_number(a->high));
	if (a->summary)
		json_object_set_new(object, KEY_CONFIDENCE,
			json_number(number_of(a->summary, KEY_CONFIDENCE)));
	if (a->row) {
		json_object_set_new(object, "row", json_string(a->row->identity));
		json_object_set_new(object, "disturbed", json_number(a->row->disturbed));
	}
	if (a->reason)
		json_object_set_new(object, KEY_REASON, json_string(a->reason));
	return object;
}

/* For each quantity: the figures by machine, and the answer. */
static json_t *cells_json(const struct source_table *t, const struct source_line *line)
{
	json_t *all = json_array(), *one = NULL;

	for (size_t c = 0; c < t->ncolumns; c++) {
		const struct source_column *column = &t->columns[c];
		const struct source_cell *cell = &line->cells[c];

		if (!c || column->at != t->columns[c - 1].at) {
			one = json_pack("{s:{}}", "figures");
			json_array_append_new(all, one);
		}
		if (cell->figure)
			json_object_set(json_object_get(one, "figures"), column->machine,
				(json_t *)cell->figure);
		if (cell->asked)
			json_object_set_new(one, "ours", answer_json(&cell->answer));
	}
	return all;
}

static json_t *lines_json(const struct source_table *t)
{
	json_t *all = json_array();
	const char *series = NULL;

	for (size_t i = 0; i < t->nlines; i++) {
		const struct source_line *line = &t->lines[i];
		if (line->title) {
			series = line->name;
			continue;
		}
		if (isnan(line->x))
			series = NULL;
		json_array_append_new(all,
			json_pack("{s:s, s:s?, s:o, s:o}", "name", line->name, "series", series,
				"x", json_number(line->x), "cells", cells_json(t, line)));
	}
	return all;
}

static json_t *table_json(const json_t *source, const json_t *experiment,
	const struct run_data *run, struct source_counts *counts)
{
	json_t *object = json_deep_copy(experiment);
	struct source_table table;

	source_table_fill(&table, source, experiment, run);
	json_object_set_new(object, "rows", lines_json(&table));
	count_cells(&table, counts);
	source_table_free(&table);
	return object;
}

json_t *source_json(const json_t *source, const struct run_data *run)
{
	json_t *object = json_deep_copy(source), *tables = json_array();
	struct source_counts counts = { 0 };
	const json_t *experiment;
	size_t i;

	json_array_foreach(json_object_get(source, "experiments"), i, experiment)
		json_array_append_new(tables, table_json(source, experiment, run, &counts));
	json_object_set_new(object, "experiments", tables);
	json_object_set_new(object, "counts",
		json_pack("{s:I, s:I, s:I, s:I, s:I}", "cells", (json_int_t)counts.cells,
			"answered", (json_int_t)counts.answered, "figures",
			(json_int_t)counts.figures, "figures_beside", (json_int_t)counts.beside,
			"empty_experiments", (json_int_t)counts.empty));
	json_object_set(object, "run", run->head);
	return object;
}
