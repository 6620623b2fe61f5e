/* SPDX-License-Identifier: MIT */
/*
 * Go benchmark text (golang.org/design/14313-benchmark-format, as benchstat reads it): a line per
 * row and run, its median. benchstat takes each line for an independent trial, and samples of one
 * run are not: they share what the run drew by lot (report/compare/statistics.h).
 */
#include <ctype.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/compare/sets.h"
#include "report/export/export.h"
#include "report/reading/results.h"

/* Text of one line, whatever it was. */
static void put_printable_line(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(isprint((unsigned char)*text) ? *text : '?', out);
	fputc('\n', out);
}

static void put_comment(FILE *out, const char *what, const char *value)
{
	fprintf(out, "# %s: ", what);
	put_printable_line(out, value);
}

/*
 * benchstat makes a table of its own for each set of configuration lines, so that only what must
 * never be compared unseen is one; the rest are comments, which it ignores.
 */
static void put_configuration(FILE *out, const struct run_data *run)
{
	fputs("goarch: amd64\ncpu: ", out);
	put_printable_line(out, text_of(json_object_get(run->head, KEY_CPU), KEY_BRAND));
	fprintf(out, "room: %s\n", run->room);
	if (json_is_true(json_object_get(run->head, KEY_EMULATED)))
		fputs("emulated: yes\n", out);
	else
		fputs("emulated:\n", out); /* takes back an earlier run's */
	put_comment(out, "build", text_of(run->head, KEY_BUILD));
	put_comment(out, "hypervisor", text_of(run->head, KEY_HYPERVISOR));
	put_comment(out, "time", text_of(run->head, KEY_TIME_UTC));
}

/* A name has no spaces, and slashes only between its parts. */
static void put_name_part(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(isgraph((unsigned char)*text) && *text != '/' ? *text : '_', out);
}

static void put_name(FILE *out, const struct row_data *row)
{
	struct parameter params[PARAMETERS_MOST];
	size_t n = row_parameters(row->json, params);

	fprintf(out, "Benchmark%c", toupper((unsigned char)*row->probe));
	put_name_part(out, row->probe + 1);
	if (*row->variant) {
		fputs("/variant=", out);
		put_name_part(out, row->variant);
	}
	for (size_t i = 0; i < n; i++) {
		fputc('/', out);
		put_name_part(out, params[i].name);
		fprintf(out, "=%.15g", params[i].value);
	}
	fputs("-1", out); /* the count of processors, without which "pointer-8" would be one */
}

/* GB/s are given as MB/s, which benchstat knows. */
static void put_value(FILE *out, const struct row_data *row, double value)
{
	bool giga = !strcmp(row->unit, "GB/s");

	fprintf(out, " %.9g ", giga ? value * 1000 : value);
	for (const char *c = giga ? "MB/s" : row->unit; *c; c++)
		fputc(isgraph((unsigned char)*c) ? *c : '_', out);
}

/* A row that was measured twice in the run is one. */
static void put_rows(FILE *out, struct run_data *run)
{
	struct results file = { .name = "", .runs = run, .nruns = 1 };
	struct sets sets = { 0 };

	sets_add(&sets, &file, true);
	sets_pool(&sets);
	for (size_t i = 0; i < sets.set->nrows; i++) {
		const struct pooled *p = &sets.set->rows[i];
		put_name(out, p->row);
		fputs(" 1", out);
		put_value(out, p->row, p->median);
		fputc('\n', out);
	}
	sets_free(&sets);
}

size_t export_benchstat(const struct results *results, FILE *out)
{
	fputs("Unit MB/s better=higher\n", out);
	for (size_t i = 0; i < results->nruns; i++) {
		put_configuration(out, &results->runs[i]);
		put_rows(out, &results->runs[i]);
	}
	return 0;
}
