/* SPDX-License-Identifier: MIT */
/* Every row of a comparison, in tables of a probe each; the parameters are columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "report/compare/compare_parts.h"
#include "report/reading/row_identity.h"

#define CELL 20 /* bytes of a parameter's text */

/* Consecutive rows with the same parameters, in the same unit. */
struct table {
	size_t from, to;
	struct parameter columns[PARAMETERS_MOST];
	int widths[PARAMETERS_MOST], variant;
	size_t ncolumns;
	char unit[24];
};

static void unit_of(const struct compared *row, char out[24])
{
	const struct cell *cell = &row->cells[1];

	if (cell->row && cell->cycles)
		cycle_unit(row->unit, out);
	else
		snprintf(out, 24, "%s", row->unit);
}

static const json_t *json_of(const struct compared *row)
{
	return row->cells[0].row->row->json;
}

static const char *column_name(const struct parameter *p)
{
	return strcmp(p->name, KEY_PAGE_BYTES) ? p->name : "page";
}

static void parameter_text(const struct parameter *p, char out[CELL])
{
	char size[SIZE_TEXT];

	size_text(p->value, size);
	if (!strcmp(p->name, "bytes") || !strcmp(p->name, KEY_PAGE_BYTES))
		snprintf(out, CELL, "%s", size);
	else
		snprintf(out, CELL, "%.10g", p->value);
}

static void widen(int *width, const char *text)
{
	int n = (int)strlen(text);

	*width = n > *width ? n : *width;
}

/* Whether the row has the table's probe, parameters and unit. */
static bool fits(const struct comparison *c, const struct table *t, size_t at)
{
	const struct compared *first = &c->rows[t->from], *row = &c->rows[at];
	struct parameter p[PARAMETERS_MOST];
	char unit[24];

	unit_of(row, unit);
	if (strcmp(first->probe, row->probe) || strcmp(t->unit, unit) ||
		row_parameters(json_of(row), p) != t->ncolumns)
		return false;
	for (size_t i = 0; i < t->ncolumns; i++)
		if (strcmp(p[i].name, t->columns[i].name))
			return false;
	return true;
}

static void take(const struct comparison *c, struct table *t, size_t at)
{
	struct parameter p[PARAMETERS_MOST];
	size_t n = row_parameters(json_of(&c->rows[at]), p);
	char text[CELL];

	widen(&t->variant, c->rows[at].cells[0].row->row->variant);
	for (size_t i = 0; i < n; i++) {
		parameter_text(&p[i], text);
		widen(&t->widths[i], text);
	}
	t->to = at + 1;
}

/* The table that begins with the row `from`. */
static struct table table_from(const struct comparison *c, size_t from)
{
	struct table t = { .from = from, .to = from, .variant = (int)strlen("variant") };

	unit_of(&c->rows[from], t.unit);
	t.ncolumns = row_parameters(json_of(&c->rows[from]), t.columns);
	for (size_t i = 0; i < t.ncolumns; i++)
		widen(&t.widths[i], column_name(&t.columns[i]));
	for (size_t at = from; at < c->nrows && fits(c, &t, at); at++)
		take(c, &t, at);
	return t;
}

static void number(char out[16], double value)
{
	if (isnan(value))
		strcpy(out, "-");
	else
		snprintf(out, 16, "%.4g", value);
}

static void print_head(const struct comparison *c, const struct table *t, FILE *out)
{
	fprintf(out, "  %-*s", t->variant, "variant");
	for (size_t i = 0; i < t->ncolumns; i++)
		fprintf(out, " %*s", t->widths[i], column_name(&t->columns[i]));
	fprintf(out, " %8s", "A");
	if (c->sets.n == 2)
		fprintf(out, " %8s %6s %14s  %s\n", "B", "B/A", "95 %", t->unit);
	for (size_t s = 1; c->sets.n > 2 && s < c->sets.n; s++)
		fprintf(out, " %8c %4c/A  ", set_letter(s), set_letter(s));
	if (c->sets.n > 2)
		fprintf(out, " %s\n", t->unit);
}

/* "SLOWER"; "? (9 runs)" */
static void answer(char out[24], const struct cell *cell)
{
	static const char *const words[VERDICTS] = { "?", "same", "SLOWER", "faster", "more",
		"less" };

	if (isnan(cell->effect.size))
		strcpy(out, "no ratio");
	else if (cell->because == BECAUSE_CLOCK)
		strcpy(out, "? (clock)");
	else if (cell->because == BECAUSE_EDGE)
		strcpy(out, "? (grid step)");
	else if (cell->verdict == VERDICT_UNKNOWN && !isnan(cell->runs))
		snprintf(out, 24, "? (%.0f runs)", cell->runs);
	else
		strcpy(out, words[cell->verdict]);
}

/* "1.160..1.162"; of a difference "-0.1..+0.2" */
static void interval(char out[32], const struct cell *cell)
{
	if (isnan(cell->low) || isnan(cell->high))
		strcpy(out, "-");
	else if (cell->difference)
		snprintf(out, 32, "%+.3g..%+.3g", cell->low, cell->high);
	else
		snprintf(out, 32, cell->high < 10 ? "%.3f..%.3f" : "%.2g..%.2g", cell->low,
			cell->high);
}

/* B/A; of a difference B-A. */
static void against(char out[16], const struct cell *cell)
{
	if (isnan(cell->effect.size))
		strcpy(out, "-");
	else if (cell->difference)
		snprintf(out, 16, "%+.3g", cell->change);
	else
		snprintf(out, 16, "%.3f", cell->ratio);
}

static double shown(const struct compared *row, const struct pooled *p)
{
	const struct cell *cell = &row->cells[1];

	return cell->row && cell->cycles ? in_cycles(row->unit, p->median, p->core_hz) : p->median;
}

static void print_pair(const struct compared *row, FILE *out)
{
	const struct cell *cell = &row->cells[1];
	char b[16] = "-", ratio[16], range[32], verdict[24];

	if (!cell->row) {
		fprintf(out, " %8s %6s %14s  only A has it\n", b, "-", "-");
		return;
	}
	number(b, shown(row, cell->row));
	interval(range, cell);
	against(ratio, cell);
	answer(verdict, cell);
	fprintf(out, " %8s %6s %14s  %s%s\n", b, ratio, range, verdict,
		cell->exact ? "" : " (other size)");
}

/* The median, and the ratio to the first set with a sign. */
static void print_cell(const struct cell *cell, FILE *out)
{
	char median[16] = "-";

	if (cell->row)
		number(median, cell->row->median);
	fprintf(out, " %8s", median);
	if (cell->row && !isnan(cell->ratio))
		fprintf(out, " %6.3f%c%c", cell->ratio,
			!cell->exact                               ? '*'
				: cell->verdict == VERDICT_SAME    ? '='
				: cell->verdict == VERDICT_UNKNOWN ? '?'
								   : ' ',
			cell->cycles ? 'c' : ' ');
	else
		fprintf(out, " %8s", "");
}

static void print_row(const struct comparison *c, const struct table *t, size_t at, FILE *out)
{
	const struct compared *row = &c->rows[at];
	struct parameter p[PARAMETERS_MOST];
	char a[16], text[CELL];

	row_parameters(json_of(row), p);
	fprintf(out, "  %-*s", t->variant, row->cells[0].row->row->variant);
	for (size_t i = 0; i < t->ncolumns; i++) {
		parameter_text(&p[i], text);
		fprintf(out, " %*s", t->widths[i], text);
	}
	number(a, c->sets.n == 2 ? shown(row, row->cells[0].row) : row->cells[0].row->median);
	fprintf(out, " %8s", a);
	if (c->sets.n == 2) {
		print_pair(row, out);
		return;
	}
	for (size_t s = 1; s < c->sets.n; s++)
		print_cell(&row->cells[s], out);
	fputc('\n', out);
}

void print_tables(const struct comparison *c, FILE *out)
{
	const char *probe = "";

	fputs("\nEvery row. ?: cannot tell (so many runs a side would); c, cy: in core cycles;\n"
	      "=: same; *: other size or pages.\n",
		out);
	for (size_t at = 0; at < c->nrows;) {
		struct table t = table_from(c, at);
		if (strcmp(probe, c->rows[at].probe))
			fprintf(out, "\n%s\n", c->rows[at].probe);
		probe = c->rows[at].probe;
		print_head(c, &t, out);
		for (; at < t.to; at++)
			print_row(c, &t, at, out);
	}
}
