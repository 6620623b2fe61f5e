/* SPDX-License-Identifier: MIT */
/*
 * The result reader and what is behind it: showing, the text for a board's maker, exporting. The
 * input: a byte and a result. Its lowest bit: the result is to be sealed; the others choose what is
 * done with it, for all together take several times as long as the reader. Comparing:
 * compare_fuzz.c; sources: sources_fuzz.c.
 */
#include <stdio.h>

#include "linux/show_json.h"
#include "linux/show_row.h"
#include "linux/report/board/board_report.h"
#include "linux/report/export/export.h"
#include "tests/fuzz/read_input.h"

static void show_all(const struct results *r, FILE *out)
{
	for (size_t i = 0; i < r->nruns; i++) {
		json_t *json = run_json(r, &r->runs[i]);

		add_lines_json(json, &r->runs[i]);
		add_card_json(json, &r->runs[i]);
		json_decref(json);
		board_report_print(&r->runs[i], out);
		for (size_t j = 0; j < r->runs[i].nrows; j++) {
			char line[TABLE_LINE];
			struct table table;
			struct show_row s;
			show_row_init(&s, &r->runs[i].rows[j]);
			table_begin(&table, "");
			table_fit(&table, &s.row);
			table_head(&table, line);
			table_row(&table, &s.result, line);
		}
	}
}

/* tests/fuzz/make_corpus.py has the same order. */
static void use(const struct results *r, unsigned which, FILE *out)
{
	unsigned formats = 0;

	while (export_formats[formats].name)
		formats++;
	which %= 1 + formats;
	if (which == 0)
		show_all(r, out);
	else if (r->nruns)
		export_formats[which - 1].write(r, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	FILE *out = discarded();
	struct results r;

	if (!n || !out)
		return 0;
	read_input(&r, *data & 1, data + 1, n - 1);
	problems_print(&r.problems, r.name, out);
	use(&r, *data >> 1, out);
	results_free(&r);
	return 0;
}
