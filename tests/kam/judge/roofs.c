/* SPDX-License-Identifier: MIT */
/*
 * The roofs of `bandwidth`: each is the fastest of its result's own rows, which are judged one by
 * one elsewhere. What the fastest form is on a machine is tests/kam/roofs.long.bats's.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/kam/judge/row_rules.h"

static const struct operation {
	const char *name, *variants[6];
} operations[] = {
	{ "read", { "read", "read-form" } },
	{ "write", { "write", "write-form", "nt-write", "nt-write-form", "rep-stosb" } },
	{ "copy", { "copy", "copy-form", "nt-copy-form", "rep-movsb" } },
};

static bool is_of(json_t *row, const struct operation *of)
{
	for (unsigned i = 0; of->variants[i]; i++)
		if (is_row(row, "bandwidth", of->variants[i]))
			return true;
	return false;
}

/* Bytes per core cycle of the fastest row at that level, in the run's usual pages; NAN: none. */
static double fastest(const struct judged *j, const struct operation *of, const char *level)
{
	double page = json_number_value(json_object_get(j->run->run, "page_bytes")), most = NAN;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		double hz = json_number_value(json_object_get(row, "core_hz"));
		double median = json_number_value(json_object_get(row, "median"));

		if (is_of(row, of) && !strcmp(text_of(row, "level"), level) && hz > 0 &&
			param_of(row, "page_bytes") == page)
			most = fmax(most, median * 1e9 / hz);
	}
	return most;
}

void judge_roofs(const struct judged *j)
{
	static const char *const levels[] = { "l1", "l2", "l3", "l4", "memory" };
	json_t *line;
	size_t i;

	json_array_foreach(j->run->summaries, i, line) {
		json_t *value = json_object_get(line, "value");

		for (unsigned at = 0; at < 3 * 5 && json_is_number(value); at++) {
			const struct operation *of = &operations[at / 5];
			char name[40];

			snprintf(name, sizeof(name), "%s_roof_%s", of->name, levels[at % 5]);
			double most = fastest(j, of, levels[at % 5]), is = json_number_value(value);
			if (!strcmp(text_of(line, "name"), name) &&
				!(fabs(is - most) <= ROOF_PRINTED / 100 * most))
				tally_wrong(j->tally, name, "%g, its fastest row has %g", is, most);
		}
	}
}
