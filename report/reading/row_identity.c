/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/reading/results.h"
#include "report/reading/row_identity.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct parameter *)a)->name, ((const struct parameter *)b)->name);
}

size_t row_parameters(const json_t *row, struct parameter out[PARAMETERS_MOST])
{
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach(json_object_get(row, KEY_PARAMS), name, value) {
		if (json_is_number(value) && n < PARAMETERS_MOST)
			out[n++] = (struct parameter){ name, json_number_value(value) };
	}
	qsort(out, n, sizeof *out, by_name);
	return n;
}

double row_parameter(const json_t *row, const char *name)
{
	return number_of(json_object_get(row, KEY_PARAMS), name);
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
	const char *level = text_of(row, KEY_LEVEL);
	char *text;
	FILE *out = text_stream(&text, &bytes);

	fprintf(out, "%s/%s", text_of(row, KEY_PROBE), text_of(row, KEY_VARIANT));
	for (size_t i = 0; i < n; i++) {
		if (as_usual(&params[i]) || (loose && !strcmp(params[i].name, KEY_PAGE_BYTES)))
			continue;
		if (loose && *level && !strcmp(params[i].name, "bytes"))
			fprintf(out, "/level=%s", level);
		else
			fprintf(out, "/%s=%.15g", params[i].name, params[i].value);
	}
	fprintf(out, " %s", text_of(row, KEY_UNIT));
	fclose(out);
	return text;
}
