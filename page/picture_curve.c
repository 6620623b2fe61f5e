/* SPDX-License-Identifier: MIT */
/* Pictures of rows over a parameter: a series for each run, variant and value of the split. */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/page_memory.h"
#include "page/pictures.h"

#define SPLITS_MOST  10 /* values of the split that are shown */
#define SERIES_LABEL 48

/* What is in a picture, in the order of its variants, and the values by which it is split. */
struct parts {
	const struct picture *picture;
	const struct subjects *subjects;
	const char *variants[8];
	size_t nvariants;
	double splits[SPLITS_MOST];
	size_t nsplits;
};

static double split_of(const struct picture *picture, const struct result_row *row)
{
	static const char *const levels[] = { "l1", "l2", "l3", "l4", "memory" };

	if (!picture->split)
		return 0;
	if (strcmp(picture->split, KEY_LEVEL))
		return result_number(row, picture->split);
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (!strcmp(row->level, levels[i]))
			return (double)i + 1;
	return NOT_A_NUMBER;
}

static void add_variant(struct parts *parts, const char *variant)
{
	for (size_t i = 0; i < parts->nvariants; i++)
		if (!strcmp(parts->variants[i], variant))
			return;
	if (parts->nvariants < sizeof parts->variants / sizeof *parts->variants)
		parts->variants[parts->nvariants++] = variant;
}

static void add_split(struct parts *parts, double split)
{
	for (size_t i = 0; i < parts->nsplits; i++)
		if (parts->splits[i] == split ||
			(math_is_nan(parts->splits[i]) && math_is_nan(split)))
			return;
	if (parts->nsplits < SPLITS_MOST)
		parts->splits[parts->nsplits++] = split;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int descending(const void *a, const void *b)
{
	return ascending(b, a);
}

/* Large pages come first: their line is the solid one. */
static bool by_pages(const struct picture *picture)
{
	return picture->split && !strcmp(picture->split, KEY_PAGE_BYTES);
}

static void find_parts(struct parts *parts)
{
	for (size_t i = 0; i < parts->subjects->n; i++) {
		const struct shown_run *run = parts->subjects->list[i].run;
		for (size_t j = 0; j < run->nrows; j++)
			if (picture_takes(parts->picture, run, &run->rows[j])) {
				add_variant(parts, run->rows[j].variant);
				add_split(parts, split_of(parts->picture, &run->rows[j]));
			}
	}
	page_sort(parts->splits, parts->nsplits, sizeof *parts->splits,
		by_pages(parts->picture) ? descending : ascending);
}

static void split_text(const struct picture *picture, double split, char out[24])
{
	static const struct {
		const char *name, *before, *after;
		bool size;
	} words[] = { { KEY_PAGE_BYTES, "", " pages", true }, { KEY_LEVEL, "L", "", false },
		{ "work", "", " steps", false }, { "lanes", "", " chains", false },
		{ "cpus", "", " CPUs", false }, { "stride_bytes", "", " B apart", false },
		{ "elements", "", " branches", false } };
	char size[SIZE_TEXT];

	out[0] = 0;
	if (!picture->split || math_is_nan(split))
		return;
	if (!strcmp(picture->split, KEY_LEVEL) && split > 4) {
		text_format(out, 24, "memory");
		return;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i].name, picture->split)) {
			text_format(size, sizeof size, "%.0f", split);
			if (words[i].size)
				size_text(split, size);
			text_format(out, 24, "%s%s%s", words[i].before, size, words[i].after);
			if (split == 1 && out[strlen(out) - 1] == 's')
				out[strlen(out) - 1] = 0;
		}
}

static void cut_at_blank(char *text)
{
	while (*text && *text != ' ')
		text++;
	*text = 0;
}

/* "hosted read 2M pages": as much of it as tells the series apart. */
static char *label_of(const struct parts *parts, const struct subject *subject, size_t v, size_t s)
{
	char split[24] = "", *label = page_new(SERIES_LABEL, 1);
	const char *variant = parts->nvariants > 1 ? parts->variants[v] : "";

	if (parts->nsplits > 1)
		split_text(parts->picture, parts->splits[s], split);
	if (*subject->tag && by_pages(parts->picture))
		cut_at_blank(split);
	if (strlen(variant) > 7 && !memcmp(variant, "method-", 7))
		variant += 7;
	text_format(label, SERIES_LABEL, "%s%s%s%s%s", subject->tag,
		*subject->tag && *variant ? " " : "", variant,
		(*subject->tag || *variant) && *split ? " " : "", split);
	return label;
}

/* Of one set colours tell what is shown, of several they tell the sets. */
static void paint(const struct parts *parts, const struct subject *subject, size_t v, size_t s,
	struct series *series)
{
	bool several = *subject->tag;
	unsigned variant = (unsigned)v, split = (unsigned)s;

	series->form = parts->picture->form;
	series->run = subject->index;
	series->colour = several                                   ? subject->colour
		: by_pages(parts->picture) || parts->nvariants > 1 ? variant
								   : split;
	series->dash = several ? variant + split : by_pages(parts->picture) ? split : 0;
}

static int by_x(const void *a, const void *b)
{
	return ascending(&((const struct point *)a)->x, &((const struct point *)b)->x);
}

static void add_point(const struct picture *picture, const struct shown_run *run, size_t at,
	struct point **points, size_t *n)
{
	const struct result_row *row = &run->rows[at];
	double y = result_number(row, picture->y);
	struct point *point = page_grow((void **)points, n, sizeof **points);

	*point = (struct point){ .x = result_number(row, picture->x),
		.y = picture->floor > 0 ? math_max(y, picture->floor) : y,
		.low = picture->band ? row->numbers[ROW_min] : NOT_A_NUMBER,
		.high = picture->band ? row->numbers[ROW_p90] : NOT_A_NUMBER,
		.row = (long)at };
}

static void add_series(const struct parts *parts, const struct subject *subject, size_t v, size_t s,
	struct chart *chart)
{
	const struct picture *picture = parts->picture;
	const struct shown_run *run = subject->run;
	struct point *points = NULL;
	size_t n = 0;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct result_row *row = &run->rows[i];
		double split = split_of(picture, row);
		if (picture_takes(picture, run, row) && !strcmp(row->variant, parts->variants[v]) &&
			(split == parts->splits[s] ||
				(math_is_nan(split) && math_is_nan(parts->splits[s]))))
			add_point(picture, run, i, &points, &n);
	}
	if (!n)
		return;
	page_sort(points, n, sizeof *points, by_x);
	struct series *series = page_grow((void **)&chart->series, &chart->n, sizeof *series);
	series->label = label_of(parts, subject, v, s);
	series->points = points;
	series->n = n;
	paint(parts, subject, v, s, series);
}

/* A repeated run of a set has the colour of the first, whose name is enough. */
static bool is_repeated(const struct subjects *subjects, size_t i)
{
	return i && subjects->list[i].colour == subjects->list[i - 1].colour;
}

static void add_all(const struct parts *parts, struct chart *chart)
{
	const struct subjects *subjects = parts->subjects;
	bool many = subjects->n > PICTURE_SETS;

	for (size_t i = 0; i < subjects->n; i++)
		for (size_t v = 0; v < (many ? 1 : parts->nvariants); v++)
			for (size_t s = 0; s < (many ? 1 : parts->nsplits); s++) {
				size_t before = chart->n;
				add_series(parts, &subjects->list[i], v, s, chart);
				if (chart->n > before && is_repeated(subjects, i))
					((char *)chart->series[before].label)[0] = 0;
			}
}

static void cover(struct chart *chart)
{
	for (size_t i = 0; i < chart->n; i++)
		for (size_t j = 0; j < chart->series[i].n; j++) {
			const struct point *p = &chart->series[i].points[j];
			axis_cover(&chart->x, p->x);
			axis_cover(&chart->y, p->y);
			axis_cover(&chart->y, p->low);
			axis_cover(&chart->y, p->high);
		}
	for (size_t i = 0; i < chart->nmarks; i++)
		axis_cover(chart->marks[i].at_y ? &chart->y : &chart->x, chart->marks[i].at);
}

void picture_curve(const struct picture *picture, const struct subjects *subjects,
	struct drawing *drawing)
{
	struct parts parts = { .picture = picture, .subjects = subjects };
	struct chart chart = { .title = picture->title,
		.banner = subjects->banner,
		.x = axis_empty(picture->x_axis.kind, picture->x_axis.name),
		.y = axis_empty(picture->y_axis.kind, picture->y_axis.name) };

	chart.x.whole = picture->x_axis.whole;
	find_parts(&parts);
	if (parts.nvariants && parts.nsplits)
		add_all(&parts, &chart);
	marks_collect(picture, subjects, &chart);
	cover(&chart);
	drawing_chart(drawing, &chart);
}

/* The core clock over the time of the run: a point for each row of any probe. */

#define WIDE_BITS 512 /* vectors for which processors have lowered their clock: AVX-512 */

static bool is_wide(const struct result_row *row)
{
	return result_parameter(row, "width_bits") >= WIDE_BITS;
}

static void add_rows(struct chart *chart, const struct subject *subject, bool wide)
{
	struct point *points = NULL;
	size_t n = 0;

	for (size_t i = 0; i < subject->run->nrows; i++) {
		const struct result_row *row = &subject->run->rows[i];
		double at = row->numbers[ROW_at_seconds], hz = row->numbers[ROW_core_hz];

		if (math_is_nan(hz) || math_is_nan(at) || is_wide(row) != wide)
			continue;
		*(struct point *)page_grow((void **)&points, &n, sizeof *points) =
			(struct point){ at, hz, NOT_A_NUMBER, NOT_A_NUMBER, (long)i, NULL };
		axis_cover(&chart->x, at);
		axis_cover(&chart->y, hz);
	}
	if (!n)
		return;
	*(struct series *)page_grow((void **)&chart->series, &chart->n, sizeof(struct series)) =
		(struct series){ .label = page_text(wide ? "" : subject->tag),
			.form = wide ? FORM_LARGE_POINTS : FORM_POINTS,
			.colour = subject->colour,
			.run = subject->index,
			.points = points,
			.n = n };
}

void picture_clock(const struct picture *picture, const struct subjects *subjects,
	struct drawing *drawing)
{
	struct chart chart = { .title = picture->title,
		.banner = subjects->banner,
		.x = axis_empty(AXIS_LINEAR, picture->x_axis.name),
		.y = axis_empty(AXIS_LINEAR, picture->y_axis.name) };

	chart.y.per = picture->y_axis.per;
	for (size_t i = 0; i < subjects->n; i++) {
		add_rows(&chart, &subjects->list[i], false);
		add_rows(&chart, &subjects->list[i], true);
	}
	drawing_chart(drawing, &chart);
}
