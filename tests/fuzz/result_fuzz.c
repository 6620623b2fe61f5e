/* SPDX-License-Identifier: MIT */
/*
 * The result reader and what is behind it: comparing, showing, exporting. The input: read_input.h.
 * Sources: sources_fuzz.c.
 */
#include <stdio.h>

#include "linux/show_row.h"
#include "report/compare.h"
#include "report/export.h"
#include "tests/fuzz/read_input.h"

static void compare_all(const struct results *r, FILE *out)
{
	struct sets sets = { 0 };
	struct comparison c;

	sets_add(&sets, r, false);
	if (sets.n < 2) {
		sets_free(&sets);
		return;
	}
	sets_pool(&sets);
	compare_sets(&c, sets, MARGIN_DEFAULT);
	comparison_print(&c, true, out);
	comparison_print_json(&c, out);
	comparison_free(&c);
}

static void show_all(const struct results *r)
{
	for (size_t i = 0; i < r->nruns; i++)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct results r;
	FILE *out = fopen("/dev/null", "w");

	if (!n || !out)
		return fclose(out), 0;
	read_input(&r, data, n);
	problems_print(&r.problems, r.name, out);
	compare_all(&r, out);
	show_all(&r);
	for (const struct export_format *f = export_formats; r.nruns && f->name; f++)
		f->write(&r, out);
	results_free(&r);
	fclose(out);
	return 0;
}
