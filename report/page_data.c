/* SPDX-License-Identifier: MIT */
/*
 * The rows for the page's script, numbers as the file has them:
 *
 *   {"columns":["i","label","median",...],
 *    "runs":[{"name":"A hosted","groups":[{"p":probe,"v":variant,"u":unit,"r":[row...]}...],
 *             "s":{"12":[sample...]}}...],
 *    "labels":["16K 2M-pages",...]}
 *
 * A row has its number in the run, which of the labels has its parameters, and the statistics that
 * `columns` names. "s" has a row's samples in ascending order, or evenly spaced ones of them where
 * all would make the page too large.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/page_parts.h"
#include "report/row_identity.h"

#define SAMPLES_BYTES 400e3 /* of the page, about, for samples */
#define SAMPLE_BYTES  9
#define ROWS_FULL     12000 /* with more rows than that, only the first columns are given */
#define COLUMNS_FEW   5

/* Statistics of a row, the more important first. */
static const struct column {
	const char *name;
	size_t offset; /* in struct row_data */
} columns[] = {
#define COLUMN(name)                                                                               \
	{                                                                                          \
#name, offsetof(struct row_data, name)                                             \
	}
	COLUMN(median), COLUMN(min), COLUMN(p90), COLUMN(samples), COLUMN(disturbed), COLUMN(p99),
	COLUMN(max), COLUMN(core_hz)
#undef COLUMN
};

static size_t columns_of(const struct page *page)
{
	size_t rows = 0;

	for (size_t i = 0; i < page->subjects.n; i++)
		rows += page->subjects.list[i].run->nrows;
	return rows > ROWS_FULL ? COLUMNS_FEW : sizeof columns / sizeof *columns;
}

static void put_columns(size_t n, FILE *out)
{
	fputs("{\"columns\":[\"i\",\"label\"", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, ",\"%s\"", columns[i].name);
	fputs("],\n", out);
}

/* What row_label says after probe and variant, as a number: labels has them by their text. */
static void put_parameters(const struct row_data *row, json_t *labels, FILE *out)
{
	char *label = row_label(row->json);
	size_t skip = strlen(row->probe) + 1 + strlen(row->variant);
	const char *text = label + skip + (label[skip] == ' ');

	if (!json_object_get(labels, text))
		json_object_set_new(labels, text,
			json_integer((json_int_t)json_object_size(labels)));
	fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(labels, text)));
	free(label);
}

static void put_labels(const json_t *labels, FILE *out)
{
	const char **texts = new_array(json_object_size(labels), sizeof *texts), *text;
	json_t *at;

	json_object_foreach((json_t *)labels, text, at) {
		texts[json_integer_value(at)] = text;
	}
	fputs("\"labels\":[", out);
	for (size_t i = 0; i < json_object_size(labels); i++) {
		fputs(i ? "," : "", out);
		html_json_text(out, texts[i]);
	}
	fputs("]}", out);
	free(texts);
}

static void put_row(const struct row_data *row, size_t at, size_t ncolumns, json_t *labels,
	FILE *out)
{
	fprintf(out, "[%zu,", at);
	put_parameters(row, labels, out);
	for (size_t i = 0; i < ncolumns; i++) {
		fputc(',', out);
		html_number(out, *(const double *)((const char *)row + columns[i].offset));
	}
	fputc(']', out);
}

static bool same_group(const struct row_data *a, const struct row_data *b)
{
	return !strcmp(a->probe, b->probe) && !strcmp(a->variant, b->variant) &&
		!strcmp(a->unit, b->unit);
}

static void put_groups(const struct run_data *run, size_t ncolumns, json_t *labels, FILE *out)
{
	for (size_t i = 0; i < run->nrows; i++) {
		const struct row_data *row = &run->rows[i];

		if (i && same_group(row, row - 1)) {
			fputc(',', out);
		} else {
			fputs(i ? "]},\n{\"p\":" : "{\"p\":", out);
			html_json_text(out, row->probe);
			fputs(",\"v\":", out);
			html_json_text(out, row->variant);
			fputs(",\"u\":", out);
			html_json_text(out, row->unit);
			fputs(",\"r\":[", out);
		}
		put_row(row, i, ncolumns, labels, out);
	}
	if (run->nrows)
		fputs("]}", out);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void put_samples(const struct row_data *row, size_t most, FILE *out)
{
	double *values = new_array(row->nvalues, sizeof *values);
	size_t n = row->nvalues < most ? row->nvalues : most;

	memcpy(values, row->values, row->nvalues * sizeof *values);
	qsort(values, row->nvalues, sizeof *values, ascending);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc(',', out);
		html_number(out, values[n > 1 ? i * (row->nvalues - 1) / (n - 1) : 0]);
	}
	free(values);
}

/* How many samples of a row there is room for; 0: for too few to show anything. */
static size_t samples_most(const struct page *page)
{
	for (size_t most = 257; most > 8; most = most / 2 + 1) {
		double all = 0;

		for (size_t i = 0; i < page->subjects.n; i++)
			for (size_t j = 0; j < page->subjects.list[i].run->nrows; j++)
				all += fmin((double)most,
					(double)page->subjects.list[i].run->rows[j].nvalues);
		if (all * SAMPLE_BYTES <= SAMPLES_BYTES)
			return most;
	}
	return 0;
}

static void put_all_samples(const struct run_data *run, size_t most, FILE *out)
{
	bool first = true;

	for (size_t i = 0; most && i < run->nrows; i++) {
		if (!run->rows[i].nvalues)
			continue;
		fprintf(out, "%s\"%zu\":[", first ? "" : ",\n", i);
		put_samples(&run->rows[i], most, out);
		fputc(']', out);
		first = false;
	}
}

void page_data(const struct page *page, FILE *out)
{
	size_t most = samples_most(page), ncolumns = columns_of(page);
	json_t *labels = json_object();
	char name[32];

	put_columns(ncolumns, out);
	fputs("\"runs\":[", out);
	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct subject *subject = &page->subjects.list[i];

		snprintf(name, sizeof name, "%c %s", subject->letter, subject->run->room);
		fputs(i ? ",\n{\"name\":" : "{\"name\":", out);
		html_json_text(out, name);
		fputs(",\"groups\":[", out);
		put_groups(subject->run, ncolumns, labels, out);
		fputs("],\n\"s\":{", out);
		put_all_samples(subject->run, most, out);
		fputs("}}", out);
	}
	fputs("],\n", out);
	put_labels(labels, out);
	json_decref(labels);
}
