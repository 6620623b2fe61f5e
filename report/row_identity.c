/* SPDX-License-Identifier: MIT */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/row_identity.h"
#include "report/results.h"

/* The numbers of a row line that are not parameters: docs/format.md. */
static bool statistic(const char *name)
{
	static const char *const names[] = {
		"seq",
		"samples",
		"min",
		"median",
		"p90",
		"p99",
		"max",
		"mean",
		"mad",
		"cycles",
		"core_hz",
		"overhead_ticks",
		"disturbed",
		"outliers",
		"ops",
		"at_seconds",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct parameter *)a)->name, ((const struct parameter *)b)->name);
}

size_t row_parameters(const json_t *row, struct parameter out[PARAMETERS_MOST])
{
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach((json_t *)row, name, value)
		if (json_is_number(value) && !statistic(name) && n < PARAMETERS_MOST)
			out[n++] = (struct parameter){ name, json_number_value(value) };
	qsort(out, n, sizeof *out, by_name);
	return n;
}

/* With prefetch=both, the row that has its prefetchers is the one that other runs have too. */
static bool as_usual(const struct parameter *p)
{
	return !strcmp(p->name, "prefetch") && p->value == 1;
}

char *row_identity(const json_t *row, bool loose)
{
	struct parameter params[PARAMETERS_MOST];
	size_t n = row_parameters(row, params), bytes;
	const char *place = text_of(row, "place");
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		err(2, "memory");
	fprintf(out, "%s/%s", text_of(row, "probe"), text_of(row, "variant"));
	for (size_t i = 0; i < n; i++) {
		if (as_usual(&params[i]) || (loose && !strcmp(params[i].name, "page_bytes")))
			continue;
		if (loose && *place && !strcmp(params[i].name, "bytes"))
			fprintf(out, "/place=%s", place);
		else
			fprintf(out, "/%s=%.15g", params[i].name, params[i].value);
	}
	fprintf(out, " %s", text_of(row, "unit"));
	fclose(out);
	return text;
}

void size_text(char *out, size_t room, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned unit = 0;

	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	snprintf(out, room, "%.4g %s", bytes, units[unit]);
}

static void print_parameter(FILE *out, const struct parameter *p)
{
	char size[32];

	size_text(size, sizeof size, p->value);
	if (!strcmp(p->name, "bytes"))
		fprintf(out, " %s", size);
	else if (!strcmp(p->name, "page_bytes"))
		fprintf(out, " %s-pages", size);
	else
		fprintf(out, " %s=%.15g", p->name, p->value);
}

char *row_label(const json_t *row)
{
	struct parameter params[PARAMETERS_MOST];
	size_t n = row_parameters(row, params), bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		err(2, "memory");
	fprintf(out, "%s %s", text_of(row, "probe"), text_of(row, "variant"));
	for (size_t i = 0; i < n; i++)
		print_parameter(out, &params[i]);
	fclose(out);
	return text;
}
