/* SPDX-License-Identifier: MIT */
/*
 * The ladder of noise: how many gaps a second were so long or longer. From the lengths of the gaps
 * where the scan has them all; below the shortest recorded, and where some were not recorded, from
 * the counts by powers of two of ticks, which have every gap.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/disturbance.h"
#include "report/picture_marks.h"

#define POINTS_MOST 120 /* of a ladder: more than the picture can show apart */
#define CLASSES     64  /* of log2_ticks */

struct ladder {
	struct point *points;
	size_t n;
	double seconds; /* observed */
};

static void add(struct ladder *ladder, double ns, double gaps)
{
	struct point *point;
	char *text;
	size_t bytes;
	FILE *out;

	if (!(gaps > 0) || !(ns > 0))
		return;
	point = grow((void **)&ladder->points, &ladder->n, sizeof *point);
	out = text_stream(&text, &bytes);
	fprintf(out, "%.0f gap%s of %.6g us or more, in %.6g s", gaps, gaps == 1 ? "" : "s",
		ns / 1e3, ladder->seconds);
	fclose(out);
	*point = (struct point){ ns, gaps / ladder->seconds, NAN, NAN, -1, text };
}

/* The shortest gap that the recorded ones are complete from on; INFINITY: from none. */
static double complete_from(const json_t *more, const double *lengths, size_t n)
{
	if (!n || number_or(more, "gaps_unrecorded", 0) > 0)
		return INFINITY;
	return lengths[n - 1];
}

static void add_classes(struct ladder *ladder, const json_t *more, double ns_per_tick, double until)
{
	const json_t *counts = json_object_get(more, "log2_ticks");
	double longer[CLASSES + 1] = { 0 };

	for (size_t i = CLASSES; i-- > 0;)
		longer[i] = longer[i + 1] +
			(json_is_number(json_array_get(counts, i))
					? json_number_value(json_array_get(counts, i))
					: 0);
	add(ladder, number_of(more, "threshold_ns"), longer[0]);
	for (size_t i = 0; i < CLASSES; i++) {
		double ns = ldexp(ns_per_tick, (int)i);
		if (ns > number_of(more, "threshold_ns") && ns < until)
			add(ladder, ns, longer[i]);
	}
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

static double *lengths_of(const json_t *more, size_t *n)
{
	const json_t *events = json_object_get(more, "events");
	double *lengths = new_array(json_array_size(events) + 1, sizeof *lengths);

	*n = 0;
	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *length = json_array_get(json_array_get(events, i), 1);
		if (json_is_number(length))
			lengths[(*n)++] = json_number_value(length);
	}
	qsort(lengths, *n, sizeof *lengths, descending);
	return lengths;
}

static void climb(struct ladder *ladder, const struct run_data *run, const struct row_data *row)
{
	const json_t *more = json_object_get(row->json, KEY_MORE);
	double per_tick = 1e9 / number_of(run->head, KEY_TSC_HZ), from;
	size_t n;
	double *lengths = lengths_of(more, &n);

	ladder->seconds = number_of(more, "observed_seconds");
	if (ladder->seconds > 0 && per_tick > 0) {
		from = complete_from(more, lengths, n);
		add_classes(ladder, more, per_tick, from);
		if (isfinite(from))
			add_lengths(ladder, lengths, n);
	}
	free(lengths);
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
	struct series *series = grow((void **)&chart->series, &chart->n, sizeof *series);
	*series = (struct series){ .label = subject->tag,
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
	char text[24];

	for (int i = 1; i < NOISE_THRESHOLDS; i++) {
		double us = strtod(noise_threshold_us[i], NULL);
		snprintf(text, sizeof text, "%s us", noise_threshold_us[i]);
		marks_add(chart,
			&(struct mark){ .at = 1e3 * us, .colour = COLOURS, .label = text });
		axis_cover(&chart->x, 1e3 * us);
	}
}

static void free_all(struct chart *chart)
{
	for (size_t i = 0; i < chart->n; i++) {
		for (size_t j = 0; j < chart->series[i].n; j++)
			free((char *)chart->series[i].points[j].text);
		free((struct point *)chart->series[i].points);
	}
	free((struct series *)chart->series);
	marks_free(chart);
}

double picture_gaps(const struct picture *picture, const struct subjects *subjects, struct svg *svg,
	double y)
{
	struct chart chart = { .title = picture->title,
		.banner = subjects->banner,
		.x = axis_empty(AXIS_TIME, picture->x_axis.name),
		.y = axis_empty(AXIS_LOG, picture->y_axis.name) };
	double height = 0;

	for (size_t i = 0; i < subjects->n; i++)
		add_run(&chart, picture, &subjects->list[i]);
	if (chart.n)
		add_limits(&chart);
	if (axis_ready(&chart.x) && axis_ready(&chart.y))
		height = chart_draw(svg, &chart, y);
	free_all(&chart);
	return height;
}
