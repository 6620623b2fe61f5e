/* SPDX-License-Identifier: MIT */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/row_identity.h"
#include "report/rows.h"

static const char *check(const json_t *line)
{
	const json_t *values = json_object_get(line, "values"), *value;
	size_t i;

	if (!*text_of(line, "probe") || !*text_of(line, "unit"))
		return "it has no probe or no unit";
	if (isnan(number_of(line, "median")))
		return "it has no median";
	if (values && !json_is_array(values))
		return "values is not an array";
	json_array_foreach(values, i, value)
		if (!json_is_number(value))
			return "values has something else than numbers";
	return NULL;
}

static void take_values(struct row_data *row, json_t *line)
{
	const json_t *values = json_object_get(line, "values"), *value;
	size_t i;

	row->nvalues = json_array_size(values);
	if (row->nvalues && !(row->values = calloc(row->nvalues, sizeof *row->values)))
		err(2, "%zu samples", row->nvalues);
	json_array_foreach(values, i, value)
		row->values[i] = json_number_value(value);
	json_object_del(line, "values");
}

static void take_numbers(struct row_data *row, const json_t *line)
{
	row->samples = number_or(line, "samples", (double)row->nvalues);
	row->min = number_of(line, "min");
	row->median = number_of(line, "median");
	row->p90 = number_of(line, "p90");
	row->p99 = number_of(line, "p99");
	row->max = number_of(line, "max");
	row->mean = number_of(line, "mean");
	row->mad = number_of(line, "mad");
	row->cycles = number_of(line, "cycles");
	row->core_hz = number_of(line, "core_hz");
	row->disturbed = number_or(line, "disturbed", 0);
	row->outliers = number_or(line, "outliers", 0);
}

const char *row_take(struct run_data *run, json_t *line)
{
	const char *why = check(line);

	if (why)
		return why;
	struct row_data *row = grow((void **)&run->rows, &run->nrows, sizeof *row);
	row->json = json_incref(line);
	row->probe = text_of(line, "probe");
	row->variant = text_of(line, "variant");
	row->unit = text_of(line, "unit");
	row->level = text_of(line, "place");
	row->identity = row_identity(line, false);
	take_values(row, line);
	take_numbers(row, line);
	return NULL;
}
