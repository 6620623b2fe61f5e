/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "lib/result_keys.h"
#include "report/results.h"
#include "report/schema.h"

unsigned schema_version(const char *schema)
{
	if (!strcmp(schema, RESULT_SCHEMA))
		return 2;
	return !strcmp(schema, "anechoic/1") ? 1 : 0;
}

/* In anechoic/1 any other number that stands in a row is a parameter. */
static bool is_statistic(const char *name)
{
	for (size_t i = 0; row_statistics[i]; i++)
		if (!strcmp(name, row_statistics[i]))
			return true;
	return !strcmp(name, KEY_SEQ);
}

static void rename_member(json_t *line, const char *from, const char *to)
{
	json_t *value = json_object_get(line, from);

	if (!value)
		return;
	json_object_set(line, to, value);
	json_object_del(line, from);
}

static void gather_parameters(json_t *line)
{
	json_t *params = json_object(), *value;
	const char *name;
	void *next;

	json_object_foreach_safe(line, next, name, value) {
		if (!json_is_number(value) || is_statistic(name))
			continue;
		json_object_set(params, name, value);
		json_object_del(line, name);
	}
	json_object_set_new(line, KEY_PARAMS, params);
}

void schema_1_to_2(json_t *line)
{
	const char *kind = text_of(line, KEY_KIND);

	if (!strcmp(kind, KIND_RUN))
		rename_member(line, "places", KEY_TOPOLOGY);
	if (strcmp(kind, KIND_ROW) && strcmp(kind, KIND_SKIP))
		return;
	rename_member(line, "place", KEY_LEVEL);
	gather_parameters(line);
}
