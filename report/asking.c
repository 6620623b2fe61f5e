/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
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

/* "112 ns", "1.90 us" */
static void print_time(double ns, FILE *out)
{
	double value = ns < 999.5 ? ns : ns / 1e3;

	fprintf(out, "%.*f %s",
		value < 9.995           ? 2
			: value < 99.95 ? 1
					: 0,
		value, ns < 999.5 ? "ns" : "us");
}

void print_asking(const struct set *set, char letter, FILE *out)
{
	char *text;
	size_t bytes, printed = 0;
	FILE *line = text_stream(&text, &bytes);

	fprintf(line, "Asking Linux (%c):", letter);
	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		const struct pooled *row = row_of(set, told[i].variant);
		if (!row)
			continue;
		fprintf(line, "%s %s ", printed++ ? "," : "", told[i].words);
		print_time(row->median, line);
	}
	fclose(line);
	if (printed && !is_emulated(set))
		print_wrapped(out, "", text);
	free(text);
}
