/* SPDX-License-Identifier: MIT */
/*
 * The ladder of noise: how many gaps a second were so long or longer. From the lengths of the gaps
 * where the scan has them all; below the shortest recorded, and where some were not recorded, from
 * the counts by powers of two of ticks, which have every gap.
 */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/page_memory.h"
#include "page/pictures.h"

#define POINTS_MOST 120 /* of a ladder: more than the picture can show apart */
#define CLASSES     64  /* of log2_ticks */
#define POINT_TEXT  80

struct ladder {
	struct point *points;
	size_t n;
	double seconds; /* observed */
};

static void add(struct ladder *ladder, double ns, double gaps)
{
	struct point *point;
	char text[POINT_TEXT];

	if (!(gaps > 0) || !(ns > 0))
		return;
	point = page_grow((void **)&ladder->points, &ladder->n, sizeof *point);
	text_format(text, sizeof text, "%.0f gap%s of %.6g us or more, in %.6g s", gaps,
		text_plural((size_t)gaps), ns / 1e3, ladder->seconds);
	*point = (struct point){ ns, gaps / ladder->seconds, NOT_A_NUMBER, NOT_A_NUMBER, -1,
		page_text(text) };
}

/* The shortest gap that the recorded ones are complete from on; infinite: from none. */
static double complete_from(struct line more, const double *lengths, size_t n)
{
	if (!n || line_number(more, "gaps_unrecorded") > 0)
		return __builtin_inf();
	return lengths[n - 1];
}

/* The next number of an array; NAN: the element is none. false: there is no more. */
static bool next_number(const char **at, const char *end, double *out)
{
	struct member element;

	if (!element_next(at, end, &element))
		return false;
	*out = member_number(&element);
	return true;
}

/* longer[i]: gaps of 2^i ticks or more. */
static void count_classes(struct line more, double longer[CLASSES + 1])
{
	struct member counts;
	double count;

	if (!line_find(more, "log2_ticks", &counts))
		return;
	const char *at = counts.value, *end = at + counts.value_bytes;
	for (size_t i = 0; i < CLASSES && next_number(&at, end, &count); i++)
		longer[i] = math_finite(count) ? count : 0;
	for (size_t i = CLASSES; i-- > 0;)
		longer[i] += longer[i + 1];
}

static void add_classes(struct ladder *ladder, struct line more, double ns_per_tick, double until)
{
	double longer[CLASSES + 1] = { 0 }, ns = ns_per_tick;
	double threshold = line_number(more, "threshold_ns");

	count_classes(more, longer);
	add(ladder, threshold, longer[0]);
	for (size_t i = 0; i < CLASSES; i++, ns *= 2)
		if (ns > threshold && ns < until)
			add(ladder, ns, longer[i]);
}

/* Lengths in descending order: the i-th has i that are as long or longer. */
static void add_lengths(struct ladder *ladder, const double *lengths, size_t n)
{
	double last = 0;

	for (size_t i = n; i-- > 0;) {
		if (i && lengths[i] < last * 1.05 && n > POINTS_MOST)
			continue;
		add(ladder, lengths[i], (double)i + 1);
		last = lengths[i];
	}
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* The second number of an event; NAN: it has none. */
static double length_of(const struct member *event)
{
	const char *at = event->value, *end = at + event->value_bytes;
	double length = NOT_A_NUMBER;

	if (next_number(&at, end, &length) && !next_number(&at, end, &length))
		length = NOT_A_NUMBER;
	return length;
}

static double *lengths_of(struct line more, size_t *n)
{
	double *lengths = NULL;
	struct member events, event;

	*n = 0;
	if (!line_find(more, "events", &events))
		return NULL;
	const char *at = events.value, *end = at + events.value_bytes;
	while (element_next(&at, end, &event))
		if (math_finite(length_of(&event)))
			*(double *)page_grow((void **)&lengths, n, sizeof *lengths) =
				length_of(&event);
	page_sort(lengths, *n, sizeof *lengths, descending);
	return lengths;
}

static void climb(struct ladder *ladder, const struct shown_run *run, const struct result_row *row)
{
	struct line more = row->more;
	double per_tick = 1e9 / line_number(run->head, KEY_TSC_HZ), from;
	size_t n;
	double *lengths = lengths_of(more, &n);

	ladder->seconds = line_number(more, "observed_seconds");
	if (ladder->seconds > 0 && per_tick > 0) {
		from = complete_from(more, lengths, n);
		add_classes(ladder, more, per_tick, from);
		if (math_finite(from))
			add_lengths(ladder, lengths, n);
	}
	page_free(lengths);
}

static void add_run(struct chart *chart, const struct picture *picture,
	const struct subject *subject)
{
	struct ladder ladder = { 0 };

	for (size_t i = 0; i < subject->run->nrows && !ladder.n; i++)
		if (picture_takes(picture, subject->run, &subject->run->rows[i]))
			climb(&ladder, subject->run, &subject->run->rows[i]);
	if (!ladder.n)
		return;
	struct series *series = page_grow((void **)&chart->series, &chart->n, sizeof *series);
	*series = (struct series){ .label = page_text(subject->tag),
		.form = FORM_LINE,
		.colour = subject->colour,
		.run = subject->index,
		.points = ladder.points,
		.n = ladder.n };
	for (size_t i = 0; i < ladder.n; i++) {
		axis_cover(&chart->x, ladder.points[i].x);
		axis_cover(&chart->y, ladder.points[i].y);
	}
}

/* The field's limits, of which the loop's own is where every ladder begins. */
static void add_limits(struct chart *chart)
{
	static const struct {
		double us;
		const char *text;
	} limits[] = {
#define NOISE_THRESHOLD(us, whose) { us, #us " us" },
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
	};

	for (size_t i = 1; i < sizeof limits / sizeof *limits; i++) {
		double ns = 1e3 * limits[i].us;

		marks_add(chart,
			&(struct mark){ .at = ns, .colour = COLOURS, .label = limits[i].text });
		axis_cover(&chart->x, ns);
	}
}

void picture_gaps(const struct picture *picture, const struct subjects *subjects,
	struct drawing *drawing)
{
	struct chart chart = { .title = picture->title,
		.banner = subjects->banner,
		.x = axis_empty(AXIS_TIME, picture->x_axis.name),
		.y = axis_empty(AXIS_LOG, picture->y_axis.name) };

	for (size_t i = 0; i < subjects->n; i++)
		add_run(&chart, picture, &subjects->list[i]);
	if (chart.n)
		add_limits(&chart);
	drawing_chart(drawing, &chart);
}
