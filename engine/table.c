/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/table.h"
#include "engine/probe_api.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "lib/text.h"
#include "engine/plan.h"

#define LINE_WIDEST    TABLE_WIDEST
#define VARIANT_WIDEST 18
#define COLUMN_LEAST   6
#define PAGE_WIDTH     4
#define CYCLES_WIDTH   7
#define SPREAD_WIDTH   7
#define NUMBER_TEXT    24 /* bytes */

/* Parameters whose names are longer than any of their values, and how they are headed. */
static const struct column_head {
	const char *name, *head;
} heads[] = {
	{ "mispredicts_counted", "counted" },
	{ "instructions", "instr." },
	{ "width_bits", "bits" },
};

static bool is_bytes(const char *name)
{
	unsigned n = (unsigned)strlen(name);

	return n >= 5 && strcmp(name + n - 5, "bytes") == 0;
}

/* Returns a parameter's column head: "stride_bytes" loses its unit, which its cells show. */
static const char *head_of(const char *name, unsigned *width)
{
	for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
		if (strcmp(name, heads[i].name) == 0)
			name = heads[i].head;
	unsigned n = (unsigned)strlen(name);

	*width = n > 6 && is_bytes(name) ? n - 6 : n;
	return name;
}

static unsigned unit_width(const struct table *t)
{
	unsigned n = (unsigned)strlen(t->unit);

	return n > 11 ? n : 11;
}

static unsigned line_width(const struct table *t)
{
	unsigned n = 2 + t->variant_width;

	for (unsigned i = 0; i < t->ncolumns; i++)
		n += 1 + t->columns[i].width;
	n += t->pages ? 1 + PAGE_WIDTH : 0;
	return n + 1 + unit_width(t) + 1 + CYCLES_WIDTH + 1 + SPREAD_WIDTH + 1;
}

/* The last resort of a row that is too wide even alone: its widest heads are cut. */
static void squeeze(struct table *t)
{
	while (line_width(t) > LINE_WIDEST) {
		struct column *widest = &t->columns[0];

		for (unsigned i = 1; i < t->ncolumns; i++)
			if (t->columns[i].width > widest->width)
				widest = &t->columns[i];
		if (!t->ncolumns || widest->width <= COLUMN_LEAST)
			return;
		widest->width--;
	}
}

void table_begin(struct table *t, const char *mark)
{
	*t = (struct table){ .mark = mark, .variant_width = (unsigned)strlen("variant") };
}

static bool holds(const struct table *t, const char *name)
{
	for (unsigned i = 0; i < t->ncolumns; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return true;
	return false;
}

bool table_fit(struct table *t, const struct row *row)
{
	struct table wider = *t;
	unsigned variant = (unsigned)strlen(row->variant);

	if (t->unit && strcmp(t->unit, row->unit->name) != 0)
		return false;
	for (unsigned i = 0; i < row->nparams; i++) {
		const char *name = row->params[i].name;
		unsigned width;

		head_of(name, &width);

		if (holds(&wider, name))
			continue;
		if (wider.ncolumns == TABLE_COLUMNS && t->unit)
			return false;
		if (wider.ncolumns < TABLE_COLUMNS)
			wider.columns[wider.ncolumns++] = (struct column){ name,
				width < COLUMN_LEAST ? COLUMN_LEAST : width };
	}
	if (variant > wider.variant_width)
		wider.variant_width = variant > VARIANT_WIDEST ? VARIANT_WIDEST : variant;
	wider.pages |= row->page_bytes != 0;
	wider.unit = row->unit->name;
	if (t->unit && line_width(&wider) > LINE_WIDEST)
		return false;
	squeeze(&wider);
	*t = wider;
	return true;
}

static void cell(const char *name, double value, char out[TABLE_CELL])
{
	if (value != value)
		text_format(out, TABLE_CELL, "-");
	else if (is_bytes(name))
		size_text(value, out);
	else if (math_is_whole(value))
		text_format(out, TABLE_CELL, "%ld", (long)value);
	else
		text_format(out, TABLE_CELL, "%.2f", value);
}

/* Appends to a line; what does not fit is cut. */
static int put_cell(char *line, int n, const char *format, const char *text, unsigned width)
{
	return n < TABLE_LINE
		? n + text_format(line + n, (size_t)(TABLE_LINE - n), format, width, text)
		: n;
}

void table_title(const struct table *t, const char *probe, const char *what, char line[TABLE_LINE])
{
	int left = LINE_WIDEST - (int)strlen(probe) - 2 - (int)strlen(t->mark) - 2;

	text_format(line, TABLE_LINE, "%s: %.*s%s%s", probe, left, what, *t->mark ? "  " : "",
		t->mark);
}

void table_head(const struct table *t, char line[TABLE_LINE])
{
	int n = put_cell(line, 0, "  %-*s", "variant", t->variant_width);

	for (unsigned i = 0; i < t->ncolumns; i++) {
		const struct column *c = &t->columns[i];
		unsigned width;
		const char *head = head_of(c->name, &width);
		char name[LINE_WIDEST];

		text_format(name, sizeof name, "%.*s", (int)(width < c->width ? width : c->width),
			head);
		n = put_cell(line, n, " %*s", name, c->width);
	}
	if (t->pages)
		n = put_cell(line, n, " %*s", "page", PAGE_WIDTH);
	n = put_cell(line, n, " %*s", t->unit, unit_width(t));
	n = put_cell(line, n, " %*s", "cycles", CYCLES_WIDTH);
	put_cell(line, n, " %*s", "p99", SPREAD_WIDTH);
}

/* Three or four significant digits, at most 9 characters. */
static void number(double v, char out[NUMBER_TEXT])
{
	double size = math_abs(v);
	const char *format = size >= 1e7 ? "%.3e"
		: size >= 1000           ? "%.0f"
		: size >= 100            ? "%.1f"
					 : "%.2f";

	text_format(out, NUMBER_TEXT, v == v ? format : "-", v);
}

void table_first(const struct row *row, char out[TABLE_CELL])
{
	*out = 0;
	if (row->nparams)
		cell(row->params[0].name, row->params[0].value, out);
}

/* The first parameter and the median, "     28K 2.09*  "; returns how long it is. */
static int table_point(const struct result *r, char out[2 * TABLE_CELL])
{
	char x[TABLE_CELL], y[NUMBER_TEXT];

	table_first(r->row, x);
	number(r->median, y);
	unsigned n = (unsigned)strlen(y);

	text_format(y + n, sizeof y - n, "%s", r->disturbed ? "*" : "");
	return text_format(out, 2 * TABLE_CELL, " %7s %-7s", x, y);
}

/* Write how far the 99th percentile is above the median, in per cent of it; "-": of nothing. */
static void spread(const struct result *r, char out[NUMBER_TEXT])
{
	bool none = !(r->median > 0) || stats_are_noise(r->min, r->p10, r->median, r->p90);
	double above = none ? -1 : (r->p99 - r->median) / r->median * 100;

	if (!(above >= 0))
		text_format(out, NUMBER_TEXT, "-");
	else if (above >= 999.5)
		text_format(out, NUMBER_TEXT, "%.0fx", above / 100 + 1);
	else
		text_format(out, NUMBER_TEXT, "+%.1f%%", above);
}

void table_row(const struct table *t, const struct result *r, char line[TABLE_LINE])
{
	char page[SIZE_TEXT] = "-", value[NUMBER_TEXT], cycles[NUMBER_TEXT] = "", wide[NUMBER_TEXT];
	int n = text_format(line, TABLE_LINE, "  %-*.*s", (int)t->variant_width,
		(int)t->variant_width, r->row->variant);

	for (unsigned i = 0; i < t->ncolumns; i++) {
		const struct column *c = &t->columns[i];
		char text[TABLE_CELL];

		cell(c->name, row_get(r->row, c->name, __builtin_nan("")), text);
		n = put_cell(line, n, " %*s", text, c->width);
	}
	if (r->page_bytes)
		size_text((double)r->page_bytes, page);
	if (t->pages)
		n = put_cell(line, n, " %*s", page, PAGE_WIDTH);
	number(r->median, value);
	if (r->cycles > 0)
		number(r->cycles, cycles);
	spread(r, wide);
	n = put_cell(line, n, " %*s", value, unit_width(t));
	n = put_cell(line, n, " %*s", cycles, CYCLES_WIDTH);
	n = put_cell(line, n, " %*s", wide, SPREAD_WIDTH);
	put_cell(line, n, "%*s", r->disturbed ? "*" : "", 0);
}

#define INDENT "     "

static double x_of(const struct result *r)
{
	return r->row->nparams ? r->row->params[0].value : 0;
}

/* Returns true if two rows belong to one curve: they differ in their first parameter only. */
static bool together(const struct result *a, const struct result *b)
{
	const struct row *p = a->row, *q = b->row;

	if (p->probe != q->probe || p->unit != q->unit || a->page_bytes != b->page_bytes ||
		strcmp(p->variant, q->variant) != 0)
		return false;
	for (unsigned i = 1; i < p->nparams; i++)
		if (strcmp(p->params[i].name, PARAM_AGAIN) != 0 &&
			row_get(q, p->params[i].name, p->params[i].value) != p->params[i].value)
			return false;
	return true;
}

/* The next of a curve's results after `last` in the order of x, then of time; NULL: none. */
static const struct result *next_of(const struct bench *b, unsigned lead, const struct result *last)
{
	const struct result *best = NULL;

	for (unsigned i = lead; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		bool after = !last || x_of(r) > x_of(last) || (x_of(r) == x_of(last) && r > last);

		if (after && together(&b->results[lead], r) && (!best || x_of(r) < x_of(best)))
			best = r;
	}
	return best;
}

static void say_curve(struct bench *b, unsigned lead)
{
	const struct result *r = &b->results[lead];
	char line[TABLE_LINE], page[SIZE_TEXT], point[2 * TABLE_CELL];
	int n;

	say(b, "  %s", r->row->variant);
	if (r->page_bytes) {
		size_text((double)r->page_bytes, page);
		say(b, ", pages of %s", page);
	}
	for (unsigned i = 1; i < r->row->nparams; i++)
		if (strcmp(r->row->params[i].name, "stride_bytes") == 0)
			size_text(r->row->params[i].value, page), say(b, ", stride %s", page);
	say(b, " (%s, %s):\n", r->row->nparams ? r->row->params[0].name : "", r->row->unit->name);
	n = text_format(line, sizeof line, INDENT);
	for (r = next_of(b, lead, NULL); r; r = next_of(b, lead, r)) {
		int more = table_point(r, point);

		if (n + more > TABLE_WIDEST) {
			say(b, "%s\n", line);
			n = text_format(line, sizeof line, INDENT);
		}
		n += text_format(line + n, sizeof line - (size_t)n, "%s", point);
	}
	say(b, "%s\n", line);
}

void say_points(struct bench *b, unsigned first, const char *what)
{
	if (first == b->nresults)
		return;
	say(b, "%s\n", what);
	for (unsigned i = first; i < b->nresults; i++) {
		unsigned lead = first;

		while (!together(&b->results[lead], &b->results[i]))
			lead++;
		if (lead == i)
			say_curve(b, i);
	}
}
