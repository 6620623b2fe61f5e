/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "report/asking.h"
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

/* "system call 112 ns", "thread 14.2 us" */
static int item_text(const char *words, double ns, char out[64])
{
	double value = ns < 999.5 ? ns : ns / 1e3;

	return snprintf(out, 64, "%s %.*f %s", words,
		value < 9.995           ? 2
			: value < 99.95 ? 1
					: 0,
		value, ns < 999.5 ? "ns" : "us");
}

/* A line breaks between two of the items only. */
void print_asking(const struct set *set, char letter, FILE *out)
{
	int column = 0;

	for (size_t i = 0; i < sizeof told / sizeof *told && !is_emulated(set); i++) {
		const struct pooled *row = row_of(set, told[i].variant);
		char text[64];
		if (!row)
			continue;
		int n = item_text(told[i].words, row->median, text);
		if (!column)
			column = fprintf(out, "Asking Linux (%c): %s", letter, text);
		else if (column + 2 + n + 1 > WRAP_WIDTH)
			column = fprintf(out, ",\n  %s", text) - 2;
		else
			column += fprintf(out, ", %s", text);
	}
	if (column)
		fputc('\n', out);
}
