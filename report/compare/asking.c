/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "report/compare/asking.h"
#include "report/wrap.h"

/* What is named, and by which row. */
static const struct {
	const char *words, *variant;
} told[] = {
	{ "system call", "syscall" },
	{ "context switch", "switch-futex" },
	{ "minor fault", "minor-fault" },
	{ "thread", "thread-create" },
};

static const struct pooled *row_of(const struct set *set, const char *variant)
{
	for (size_t i = 0; i < set->nrows; i++)
		if (!strcmp(set->rows[i].row->probe, "oscost") &&
			!strcmp(set->rows[i].row->variant, variant))
			return &set->rows[i];
	return NULL;
}

static int digits(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* "system call 112 ns", "thread 14.2 us"; where the runs differ, "system call 108..117 ns" */
static int item_text(const char *words, const struct pooled *row, char out[96])
{
	double low = row->runs[0].median, high = low;
	char from[24], to[24];

	for (size_t i = 1; i < row->nruns; i++) {
		low = fmin(low, row->runs[i].median);
		high = fmax(high, row->runs[i].median);
	}
	double unit = high < 999.5 ? 1 : 1e3;

	snprintf(from, sizeof from, "%.*f", digits(low / unit), low / unit);
	snprintf(to, sizeof to, "%.*f", digits(high / unit), high / unit);
	return snprintf(out, 96, "%s %s%s%s %s", words, from, strcmp(from, to) ? ".." : "",
		strcmp(from, to) ? to : "", unit > 1 ? "us" : "ns");
}

/* A run may have had no time for some of the rows: as many as measured one of them. */
static int print_head(const struct set *set, char letter, FILE *out)
{
	size_t runs = 0;

	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		const struct pooled *row = row_of(set, told[i].variant);
		runs = row && row->nruns > runs ? row->nruns : runs;
	}
	if (runs == 1)
		return fprintf(out, "Asking Linux (%c, one run): ", letter);
	return fprintf(out, "Asking Linux (%c, lowest..highest of %zu runs): ", letter, runs);
}

/* A line breaks between two of the items only. */
void print_asking(const struct set *set, char letter, FILE *out)
{
	int column = 0;

	for (size_t i = 0; i < sizeof told / sizeof *told && !is_emulated(set); i++) {
		const struct pooled *row = row_of(set, told[i].variant);
		char text[96];
		if (!row)
			continue;
		int n = item_text(told[i].words, row, text);
		if (!column)
			column = print_head(set, letter, out) + fprintf(out, "%s", text);
		else if (column + 2 + n + 1 > WRAP_WIDTH)
			column = fprintf(out, ",\n  %s", text) - 2;
		else
			column += fprintf(out, ", %s", text);
	}
	if (column)
		fputc('\n', out);
}
