/* SPDX-License-Identifier: MIT */
#include "probes/table.h"

#include "probes/text.h"

/* Variant 17, three parameters 7 each, page 5, value 10, unit 11, cycles 7, p99 7, mark 1: 79. */

static bool equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

void table_fit(struct table *t, const struct row *row)
{
	for (unsigned i = 0; i < row->nparams && t->ncolumns < TABLE_COLUMNS; i++) {
		unsigned k = 0;

		while (k < t->ncolumns && !equal(t->columns[k], row->params[i].name))
			k++;
		if (k == t->ncolumns)
			t->columns[t->ncolumns++] = row->params[i].name;
	}
}

void table_bytes(double bytes, char out[16])
{
	static const char units[] = { 'B', 'K', 'M', 'G', 'T' };
	unsigned unit = 0;

	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	bool round = bytes == (double)(long)bytes || bytes >= 100;

	text_format(out, 16, round ? "%.0f%c" : "%.1f%c", bytes, units[unit]);
}

static bool is_bytes(const char *name)
{
	size_t n = 0;

	while (name[n])
		n++;
	return n >= 5 && equal(name + n - 5, "bytes");
}

static void cell(const char *name, double value, char out[16])
{
	if (value != value)
		text_format(out, 16, "-");
	else if (is_bytes(name))
		table_bytes(value, out);
	else if (value == (double)(long)value)
		text_format(out, 16, "%ld", (long)value);
	else
		text_format(out, 16, "%.2f", value);
}

void table_head(const struct table *t, const char *probe, const char *what,
	char lines[2][TABLE_LINE])
{
	text_format(lines[0], TABLE_LINE, "%s: %.60s%s%s", probe, what, *t->mark ? "  " : "",
		t->mark);
	int n = text_format(lines[1], TABLE_LINE, "  %-15s", "variant");

	for (unsigned i = 0; i < t->ncolumns; i++)
		n += text_format(lines[1] + n, TABLE_LINE - (size_t)n, " %6.6s", t->columns[i]);
	text_format(lines[1] + n, TABLE_LINE - (size_t)n, " %4s %9s %-10s %6s %6s", "page", "median",
		"unit", "cycles", "p99");
}

/* Three or four significant digits, at most 9 characters. */
static void number(double v, char out[24])
{
	double size = v < 0 ? -v : v;

	if (v != v)
		text_format(out, 24, "-");
	else if (size >= 1e7)
		text_format(out, 24, "%.3e", v);
	else
		text_format(out, 24, size >= 1000 ? "%.0f" : size >= 100 ? "%.1f" : "%.2f", v);
}

/* How far the 99th percentile lies above the median, in percent of it. */
static void spread(const struct result *r, char out[24])
{
	double above = r->median > 0 ? (r->p99 - r->median) / r->median * 100 : -1;

	if (above < 0)
		text_format(out, 24, "-");
	else if (above >= 999.5)
		text_format(out, 24, "%.0fx", above / 100 + 1);
	else
		text_format(out, 24, "+%.1f%%", above);
}

void table_row(const struct table *t, const struct result *r, char line[TABLE_LINE])
{
	char page[16] = "", value[24], cycles[24] = "", wide[24];
	int n = text_format(line, TABLE_LINE, "  %-15.15s", r->row->variant);

	for (unsigned i = 0; i < t->ncolumns; i++) {
		char text[16];

		cell(t->columns[i], row_get(r->row, t->columns[i], __builtin_nan("")), text);
		n += text_format(line + n, TABLE_LINE - (size_t)n, " %6s", text);
	}
	if (r->page_bytes)
		table_bytes((double)r->page_bytes, page);
	number(r->median, value);
	if (r->cycles > 0)
		number(r->cycles, cycles);
	spread(r, wide);
	text_format(line + n, TABLE_LINE - (size_t)n, " %4s %9s %-10.10s %6s %6s%s", page, value,
		r->row->unit->name, cycles, wide, r->disturbed ? "*" : "");
}
