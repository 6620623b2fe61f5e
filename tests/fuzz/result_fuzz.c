/* SPDX-License-Identifier: MIT */
/*
 * The result reader and everything behind it. The first byte chooses: an even one takes the rest as
 * it is; an odd one gives every line a right crc first, to get past the checksum. Its other bits
 * choose the source that is asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/show_row.h"
#include "report/compare.h"
#include "lib/crc32.h"
#include "report/export.h"
#include "report/reader.h"
#include "report/source_table.h"
#include "report/sources.h"
#include "tests/fuzz/fuzz.h"

static void seal(FILE *out, const char *line, size_t n)
{
	if (n && line[n - 1] == '}')
		n--;
	fwrite(line, 1, n, out);
	fprintf(out, ",\"crc\":\"%08x\"}\n", crc32_of(0, line, n));
}

static void read_input(struct results *r, const uint8_t *data, size_t n)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	const char *at = (const char *)data + 1, *end = (const char *)data + n;

	while (*data & 1 && at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		seal(out, at, (size_t)((stop ? stop : end) - at));
		at = stop ? stop + 1 : end;
	}
	fwrite(at, 1, (size_t)(end - at), out);
	fclose(out);
	FILE *in = bytes ? fmemopen(text, bytes, "rb") : fopen("/dev/null", "rb");
	results_read(r, in, "fuzz-1");
	fclose(in);
	free(text);
}

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

/* One source for an input: all of them would take most of the time. */
static void show_source(const struct results *r, unsigned which, FILE *out)
{
	static json_t *sources; /* parsed once; reachable, so that no sanitizer minds */
	const json_t *source;

	if (!sources)
		sources = sources_load();
	source = json_array_get(sources, which % json_array_size(sources));
	for (size_t i = 0; i < r->nruns; i++) {
		source_print(source, &r->runs[i], "", out);
		json_decref(source_json(source, &r->runs[i]));
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
	show_source(&r, *data >> 1, out);
	for (const struct export_format *f = export_formats; r.nruns && f->name; f++)
		f->write(&r, out);
	results_free(&r);
	fclose(out);
	return 0;
}
