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
#include <string.h>

#include "lib/crc32.h"
#include "lib/math.h"
#include "lib/text.h"
#include "page/html.h"
#include "page/page_memory.h"
#include "page/page_parts.h"
#include "page/shown_run.h"

#define SAMPLES_BYTES 400e3 /* of the page, about, for samples */
#define SAMPLE_BYTES  9
#define MOST          257 /* of a row */
#define FEWEST        8   /* fewer show nothing */

struct sample {
	double value;
	const char *text;
};

static int ascending(const void *a, const void *b)
{
	double x = ((const struct sample *)a)->value, y = ((const struct sample *)b)->value;

	return (x > y) - (x < y);
}

static void put_samples(const struct shown_row *row, size_t most, struct sink *out)
{
	struct sample *samples = page_new(row->nvalues, sizeof *samples);
	const char *at = row->values.value, *end = at + row->values.value_bytes;
	size_t n = row->nvalues < most ? row->nvalues : most;

	struct member element;

	for (size_t i = 0; i < row->nvalues && element_next(&at, end, &element); i++)
		samples[i] = (struct sample){ member_number(&element), element.value };
	page_sort(samples, row->nvalues, sizeof *samples, ascending);
	for (size_t i = 0; i < n; i++) {
		html_put(out, i ? "," : "");
		html_number(out, samples[n > 1 ? i * (row->nvalues - 1) / (n - 1) : 0].text);
	}
	page_free(samples);
}

static size_t page_samples_most(const struct page *page)
{
	for (size_t most = MOST; most > FEWEST; most = most / 2 + 1) {
		double all = 0;

		for (size_t i = 0; i < page->subjects.n; i++)
			for (size_t j = 0; j < page->subjects.list[i].run->nrows; j++)
				all += math_min((double)most,
					(double)page->subjects.list[i].run->rows[j].nvalues);
		if (all * SAMPLE_BYTES <= SAMPLES_BYTES)
			return most;
	}
	return 0;
}

static void page_samples(const struct shown_run *run, size_t most, struct sink *out)
{
	bool first = true;

	for (size_t i = 0; most && i < run->nrows; i++) {
		if (!run->rows[i].nvalues)
			continue;
		sink_put(out, "%s\"%u\":[", first ? "" : ",\n", (unsigned)i);
		put_samples(&run->rows[i], most, out);
		html_put(out, "]");
		first = false;
	}
}

#define ROWS_FULL   12000 /* with more rows than that, only the first columns are given */
#define COLUMNS_FEW 5

/* Statistics of a row, the more important first. */
static const struct column {
	const char *name;
	enum row_statistic at;
} columns[] = {
#define COLUMN(name)                                                                               \
	{                                                                                          \
#name, ROW_##name                                                                  \
	}
	COLUMN(median), COLUMN(min), COLUMN(p90), COLUMN(samples), COLUMN(disturbed), COLUMN(p99),
	COLUMN(max), COLUMN(core_hz)
#undef COLUMN
};

static size_t rows_of(const struct page *page)
{
	size_t rows = 0;

	for (size_t i = 0; i < page->subjects.n; i++)
		rows += page->subjects.list[i].run->nrows;
	return rows;
}

static void put_columns(size_t n, struct sink *out)
{
	html_put(out, "{\"columns\":[\"i\",\"label\"");
	for (size_t i = 0; i < n; i++)
		sink_put(out, ",\"%s\"", columns[i].name);
	html_put(out, "],\n");
}

/* The parameters' labels, each once; its number is found by its checksum. */
struct labels {
	char **text;
	size_t n;
	size_t *slots; /* number of a label, + 1; 0: free */
	size_t nslots; /* a power of 2, more than there can be labels */
};

static void labels_open(struct labels *labels, size_t most)
{
	*labels = (struct labels){ .nslots = 2 };
	while (labels->nslots < 2 * most)
		labels->nslots *= 2;
	labels->slots = page_new(labels->nslots, sizeof *labels->slots);
}

static size_t label_number(struct labels *labels, const char *text)
{
	size_t slot = crc32_of(0, text, strlen(text)) & (labels->nslots - 1);

	for (; labels->slots[slot]; slot = (slot + 1) & (labels->nslots - 1))
		if (!strcmp(labels->text[labels->slots[slot] - 1], text))
			return labels->slots[slot] - 1;
	*(char **)page_grow((void **)&labels->text, &labels->n, sizeof(char *)) = page_text(text);
	labels->slots[slot] = labels->n;
	return labels->n - 1;
}

static void labels_put(struct labels *labels, struct sink *out)
{
	html_put(out, "\"labels\":[");
	for (size_t i = 0; i < labels->n; i++) {
		html_put(out, i ? "," : "");
		html_json_text(out, labels->text[i]);
		page_free(labels->text[i]);
	}
	html_put(out, "]}");
	page_free(labels->text);
	page_free(labels->slots);
}

static void put_statistic(const struct shown_row *row, enum row_statistic at, struct sink *out)
{
	if (row->texts[at])
		html_number(out, row->texts[at]);
	else if (math_finite(row->numbers[at]))
		sink_put(out, "%.0f", row->numbers[at]); /* a count that the line leaves out */
	else
		html_put(out, "null");
}

static void put_row(const struct shown_row *row, size_t at, size_t ncolumns, struct labels *labels,
	struct sink *out)
{
	char label[ROW_LABEL];

	row_label_parameters(row, label);
	sink_put(out, "[%u,%u", (unsigned)at, (unsigned)label_number(labels, label));
	for (size_t i = 0; i < ncolumns; i++) {
		html_put(out, ",");
		put_statistic(row, columns[i].at, out);
	}
	html_put(out, "]");
}

static bool same_group(const struct shown_row *a, const struct shown_row *b)
{
	return !strcmp(a->probe, b->probe) && !strcmp(a->variant, b->variant) &&
		!strcmp(a->unit, b->unit);
}

static void begin_group(const struct shown_row *row, struct sink *out)
{
	html_put(out, "{\"p\":");
	html_json_text(out, row->probe);
	html_put(out, ",\"v\":");
	html_json_text(out, row->variant);
	html_put(out, ",\"u\":");
	html_json_text(out, row->unit);
	html_put(out, ",\"r\":[");
}

static void put_groups(const struct shown_run *run, size_t ncolumns, struct labels *labels,
	struct sink *out)
{
	for (size_t i = 0; i < run->nrows; i++) {
		const struct shown_row *row = &run->rows[i];

		if (i && same_group(row, row - 1)) {
			html_put(out, ",");
		} else {
			html_put(out, i ? "]},\n" : "");
			begin_group(row, out);
		}
		put_row(row, i, ncolumns, labels, out);
	}
	if (run->nrows)
		html_put(out, "]}");
}

void page_data(const struct page *page, struct sink *out)
{
	size_t most = page_samples_most(page), rows = rows_of(page);
	size_t ncolumns = rows > ROWS_FULL ? COLUMNS_FEW : sizeof columns / sizeof *columns;
	struct labels labels;
	char name[32];

	labels_open(&labels, rows);
	put_columns(ncolumns, out);
	html_put(out, "\"runs\":[");
	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct subject *subject = &page->subjects.list[i];

		text_format(name, sizeof name, "%c %s", subject->letter, subject->run->room);
		html_put(out, i ? ",\n{\"name\":" : "{\"name\":");
		html_json_text(out, name);
		html_put(out, ",\"groups\":[");
		put_groups(subject->run, ncolumns, &labels, out);
		html_put(out, "],\n\"s\":{");
		page_samples(subject->run, most, out);
		html_put(out, "}}");
	}
	html_put(out, "],\n");
	labels_put(&labels, out);
}
