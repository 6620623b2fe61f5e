/* SPDX-License-Identifier: MIT */
/* Comma-separated values (RFC 4180) with a head: one record per row, parameters as columns. */
#include <math.h>
#include <string.h>

#include "report/export.h"
#include "report/row_identity.h"

/* Quoted where RFC 4180 asks for it. */
static void put_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	fputc('"', out);
}

/* Nothing where it is not known. */
static void put_number(FILE *out, double value)
{
	fputc(',', out);
	if (!isnan(value))
		fprintf(out, "%.10g", value);
}

/* Names of all parameters of all rows, in the order met. */
static json_t *columns(const struct results *results)
{
	struct parameter params[PARAMETERS_MOST];
	json_t *names = json_object();

	for (size_t i = 0; i < results->nruns; i++)
		for (size_t j = 0; j < results->runs[i].nrows; j++) {
			size_t n = row_parameters(results->runs[i].rows[j].json, params);
			for (size_t k = 0; k < n; k++)
				json_object_set_new(names, params[k].name, json_true());
		}
	return names;
}

static void put_head(FILE *out, json_t *params)
{
	const char *name;
	json_t *unused;

	fputs("run,room,probe,variant,level,unit", out);
	json_object_foreach(params, name, unused) {
		fputc(',', out);
		put_text(out, name);
	}
	for (size_t i = 0; row_statistics[i]; i++)
		fprintf(out, ",%s", row_statistics[i]);
	fputs("\r\n", out);
}

static void put_row(FILE *out, const struct row_data *row, json_t *params)
{
	const char *texts[] = { row->probe, row->variant, row->level, row->unit };
	const char *name;
	json_t *unused;

	for (size_t i = 0; i < 4; i++) {
		fputc(',', out);
		put_text(out, texts[i]);
	}
	json_object_foreach(params, name, unused) {
		put_number(out, row_parameter(row->json, name));
	}
	for (size_t i = 0; row_statistics[i]; i++)
		put_number(out, number_of(row->json, row_statistics[i]));
	fputs("\r\n", out);
}

size_t export_csv(const struct results *results, FILE *out)
{
	json_t *params = columns(results);

	put_head(out, params);
	for (size_t i = 0; i < results->nruns; i++)
		for (size_t j = 0; j < results->runs[i].nrows; j++) {
			fprintf(out, "%zu,%s", i + 1, results->runs[i].room);
			put_row(out, &results->runs[i].rows[j], params);
		}
	json_decref(params);
	return 0;
}
