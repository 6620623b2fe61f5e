/* SPDX-License-Identifier: MIT */
/* A source's tables for programs: docs/format.md, "show --source --json". */
#include <math.h>

#include "lib/result_keys.h"
#include "report/sources/source_table.h"

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *answer_json(const struct source_answer *a)
{
	json_t *object = json_pack("{s:o}", KEY_VALUE, number(a->value));

	if (!isnan(a->low))
		json_object_set_new(object, KEY_LOW, number(a->low));
	if (!isnan(a->high))
		json_object_set_new(object, KEY_HIGH, number(a->high));
	if (a->row) {
		json_object_set_new(object, "row", json_string(a->row->identity));
		json_object_set_new(object, "disturbed", number(a->row->disturbed));
	}
	if (a->reason)
		json_object_set_new(object, KEY_REASON, json_string(a->reason));
	return object;
}

/* By quantity: the figures by machine, and the answer. */
static json_t *cells_json(const struct source_table *t, const struct source_line *line)
{
	json_t *all = json_array(), *one = NULL;

	for (size_t c = 0; c < t->ncolumns; c++) {
		const struct source_column *column = &t->columns[c];
		const struct source_cell *cell = &line->cells[c];

		if (!c || column->at != t->columns[c - 1].at) {
			one = json_pack("{s:{}}", "figures");
			json_array_append_new(all, one);
		}
		if (cell->figure)
			json_object_set(json_object_get(one, "figures"), column->machine,
				(json_t *)cell->figure);
		if (cell->asked)
			json_object_set_new(one, "ours", answer_json(&cell->answer));
	}
	return all;
}

static json_t *lines_json(const struct source_table *t)
{
	json_t *all = json_array();
	const char *series = NULL;

	for (size_t i = 0; i < t->nlines; i++) {
		const struct source_line *line = &t->lines[i];
		if (line->title) {
			series = line->name;
			continue;
		}
		if (isnan(line->x))
			series = NULL;
		json_array_append_new(all,
			json_pack("{s:s, s:s?, s:o, s:o}", "name", line->name, "series", series,
				"x", number(line->x), "cells", cells_json(t, line)));
	}
	return all;
}

static json_t *table_json(const json_t *source, const json_t *experiment,
	const struct run_data *run)
{
	json_t *object = json_deep_copy(experiment);
	struct source_table table;

	source_table_fill(&table, source, experiment, run);
	json_object_set_new(object, "rows", lines_json(&table));
	source_table_free(&table);
	return object;
}

json_t *source_json(const json_t *source, const struct run_data *run)
{
	json_t *object = json_deep_copy(source), *tables = json_array();
	const json_t *experiment;
	size_t i;

	json_array_foreach(json_object_get(source, "experiments"), i, experiment)
		json_array_append_new(tables, table_json(source, experiment, run));
	json_object_set_new(object, "experiments", tables);
	json_object_set(object, "run", run->head);
	return object;
}
