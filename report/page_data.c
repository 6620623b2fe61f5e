/* SPDX-License-Identifier: MIT */
/*
 * The rows for the page's script, numbers as the file has them:
 *
 *   {"runs":[{"name":"A hosted","groups":[{"p":probe,"v":variant,"u":unit,"r":[row...]}...],
 *             "s":{"12":[sample...]}}...]}
 *
 * A row: its number in the run, its parameters as text, median, min, p90, p99, max, samples,
 * disturbed, core_hz. "s" has a row's samples in ascending order, or evenly spaced ones of them
 * where all would make the page too large.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/page_parts.h"
#include "report/row_identity.h"

#define SAMPLES_BYTES 400e3 /* of the page, about, for samples */
#define SAMPLE_BYTES  9
#define CORE_HZ_RUNS  6 /* with more runs than that the clock is left out, which saves a tenth */

/* What row_label says after probe and variant. */
static void put_parameters(const struct row_data *row, FILE *out)
{
	char *label = row_label(row->json);
	size_t skip = strlen(row->probe) + 1 + strlen(row->variant);

	html_json_text(out, label + skip + (label[skip] == ' '));
	free(label);
}

static void put_row(const struct page *page, const struct row_data *row, size_t at, FILE *out)
{
	const double numbers[] = { row->median, row->min, row->p90, row->p99, row->max,
		row->samples, row->disturbed,
		page->subjects.n > CORE_HZ_RUNS ? NAN : row->core_hz };

	fprintf(out, "[%zu,", at);
	put_parameters(row, out);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		fputc(',', out);
		html_number(out, numbers[i]);
	}
	fputc(']', out);
}

static bool same_group(const struct row_data *a, const struct row_data *b)
{
	return !strcmp(a->probe, b->probe) && !strcmp(a->variant, b->variant) &&
		!strcmp(a->unit, b->unit);
}

static void put_groups(const struct page *page, const struct run_data *run, FILE *out)
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
		put_row(page, row, i, out);
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
	size_t most = samples_most(page);
	char name[32];

	fputs("{\"runs\":[", out);
	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct subject *subject = &page->subjects.list[i];

		snprintf(name, sizeof name, "%c %s", subject->letter, subject->run->room);
		fputs(i ? ",\n{\"name\":" : "{\"name\":", out);
		html_json_text(out, name);
		fputs(",\"groups\":[", out);
		put_groups(page, subject->run, out);
		fputs("],\n\"s\":{", out);
		put_all_samples(subject->run, most, out);
		fputs("}}", out);
	}
	fputs("]}", out);
}
