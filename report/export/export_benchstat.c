/* SPDX-License-Identifier: MIT */
/*
 * Go benchmark text (golang.org/design/14313-benchmark-format, as benchstat reads it): a line per
 * sample, per row where the samples were thinned away.
 */
#include <ctype.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/export/export.h"
#include "report/reading/row_identity.h"

/* Text of one line, whatever it was. */
static void put_line(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(isprint((unsigned char)*text) ? *text : '?', out);
	fputc('\n', out);
}

static void put_comment(FILE *out, const char *what, const char *value)
{
	fprintf(out, "# %s: ", what);
	put_line(out, value);
}

/*
 * benchstat makes a table of its own for each set of configuration lines, so that only what must
 * never be compared unseen is one; the rest are comments, which it ignores.
 */
static void put_configuration(FILE *out, const struct run_data *run)
{
	fputs("goarch: amd64\ncpu: ", out);
	put_line(out, text_of(json_object_get(run->head, KEY_CPU), KEY_BRAND));
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

static void put_row(FILE *out, const struct row_data *row)
{
	size_t n = row->nvalues ? row->nvalues : 1;

	for (size_t i = 0; i < n; i++) {
		put_name(out, row);
		fputs(" 1", out);
		put_value(out, row, row->nvalues ? row->values[i] : row->median);
		fputc('\n', out);
	}
}

size_t export_benchstat(const struct results *results, FILE *out)
{
	fputs("Unit MB/s better=higher\n", out);
	for (size_t i = 0; i < results->nruns; i++) {
		put_configuration(out, &results->runs[i]);
		for (size_t j = 0; j < results->runs[i].nrows; j++)
			put_row(out, &results->runs[i].rows[j]);
	}
	return 0;
}
