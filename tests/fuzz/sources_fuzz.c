/* SPDX-License-Identifier: MIT */
/*
 * A result's answers to a source's experiments. The input: two bytes and a result. The lowest bit
 * of the first: the result is to be sealed; the next: JSON is written, not text. The second chooses
 * a row of a source's table, for a source's tables take milliseconds, and all a tenth of a second.
 */
#include "linux/report/sources/source_table.h"
#include "linux/report/sources/sources.h"
#include "tests/fuzz/read_input.h"

enum { SEALED = 1, JSON = 2 };

/* The source with one experiment, and that with one row. */
static json_t *of_one_row(const json_t *source, const json_t *experiment, const json_t *row)
{
	json_t *one = json_copy((json_t *)experiment), *all = json_copy((json_t *)source);

	json_object_set_new(one, "rows", json_pack("[O]", row));
	json_object_set_new(all, "experiments", json_pack("[o]", one));
	return all;
}

/* Such a source for each row of all tables. */
static json_t *load_rows(void)
{
	json_t *rows = json_array(), *sources = sources_load(), *source, *experiment, *row;
	size_t i, j, k;

	json_array_foreach(sources, i, source)
		json_array_foreach(json_object_get(source, "experiments"), j, experiment)
			json_array_foreach(json_object_get(experiment, "rows"), k, row)
				json_array_append_new(rows, of_one_row(source, experiment, row));
	json_decref(sources);
	return rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static json_t *rows; /* made once; reachable, so that no sanitizer minds */
	FILE *out = discarded();
	struct results r;

	if (!rows)
		rows = load_rows();
	if (n < 2 || !out)
		return 0;
	const json_t *source = json_array_get(rows, data[1] % json_array_size(rows));

	read_input(&r, *data & SEALED, data + 2, n - 2);
	for (size_t i = 0; i < r.nruns; i++)
		if (*data & JSON)
			json_decref(source_json(source, &r.runs[i]));
		else
			source_print(source, &r.runs[i], "", out);
	results_free(&r);
	return 0;
}
