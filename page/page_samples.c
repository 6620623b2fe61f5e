/* SPDX-License-Identifier: MIT */
/* The samples of the rows, for the page's script: in ascending order, and not too many. */
#include "lib/math.h"
#include "page/html.h"
#include "page/page_memory.h"
#include "page/page_parts.h"

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

static void put_row(const struct shown_row *row, size_t most, struct svg *out)
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

size_t page_samples_most(const struct page *page)
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

void page_samples(const struct shown_run *run, size_t most, struct svg *out)
{
	bool first = true;

	for (size_t i = 0; most && i < run->nrows; i++) {
		if (!run->rows[i].nvalues)
			continue;
		svg_put(out, "%s\"%u\":[", first ? "" : ",\n", (unsigned)i);
		put_row(&run->rows[i], most, out);
		html_put(out, "]");
		first = false;
	}
}
