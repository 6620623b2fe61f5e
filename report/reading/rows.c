/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/reading/row_identity.h"
#include "report/reading/rows.h"

static const char *check(const json_t *line)
{
	const json_t *values = json_object_get(line, KEY_VALUES), *value;
	size_t i;

	if (!*text_of(line, KEY_PROBE) || !*text_of(line, KEY_UNIT))
		return "it has no probe or no unit";
	if (isnan(number_of(line, "median")))
		return "it has no median";
	if (json_object_get(line, KEY_PARAMS) && !json_is_object(json_object_get(line, KEY_PARAMS)))
		return "params is not an object";
	if (values && !json_is_array(values))
		return "values is not an array";
	json_array_foreach(values, i, value)
		if (!json_is_number(value))
			return "a member of values is no number";
	return NULL;
}

static void take_values(struct row_data *row, json_t *line)
{
	const json_t *values = json_object_get(line, KEY_VALUES), *value;
	size_t i;

	row->nvalues = json_array_size(values);
	row->values = new_array(row->nvalues, sizeof *row->values);
	json_array_foreach(values, i, value)
		row->values[i] = json_number_value(value);
	json_object_del(line, KEY_VALUES);
}

static void set_if_absent(double *value, double otherwise)
{
	if (isnan(*value))
		*value = otherwise;
}

static void take_statistics(struct row_data *row, const json_t *line)
{
#define STATISTIC(name, when) row->name = number_of(line, #name);
#include "lib/row_statistics.inc"
#undef STATISTIC
	set_if_absent(&row->samples, (double)row->nvalues);
	set_if_absent(&row->disturbed, 0);
	set_if_absent(&row->outliers, 0);
}

const char *row_take(struct run_data *run, json_t *line)
{
	const char *why = check(line);

	if (why)
		return why;
	struct row_data *row = grow((void **)&run->rows, &run->nrows, sizeof *row);
	row->json = json_incref(line);
	row->probe = text_of(line, KEY_PROBE);
	row->variant = text_of(line, KEY_VARIANT);
	row->unit = text_of(line, KEY_UNIT);
	row->level = text_of(line, KEY_LEVEL);
	row->identity = row_identity(line, false);
	take_values(row, line);
	take_statistics(row, line);
	return NULL;
}
