/* SPDX-License-Identifier: MIT */
/* The core clock over the time of the run: a point for each row of any probe. */
#include <math.h>
#include <stdlib.h>

#include "report/pictures.h"
#include "report/row_identity.h"

#define WIDE_BITS 512 /* vectors for which processors have lowered their clock: AVX-512 */

static bool is_wide(const struct row_data *row)
{
	return row_parameter(row->json, "width_bits") >= WIDE_BITS;
}

static void add_rows(struct chart *chart, const struct subject *subject, bool wide)
{
	struct point *points = NULL;
	size_t n = 0;

	for (size_t i = 0; i < subject->run->nrows; i++) {
		const struct row_data *row = &subject->run->rows[i];
		if (isnan(row->core_hz) || isnan(row->at_seconds) || is_wide(row) != wide)
			continue;
		*(struct point *)grow((void **)&points, &n, sizeof *points) =
			(struct point){ row->at_seconds, row->core_hz, NAN, NAN, (long)i, NULL };
		axis_cover(&chart->x, row->at_seconds);
		axis_cover(&chart->y, row->core_hz);
	}
	if (!n)
		return;
	*(struct series *)grow((void **)&chart->series, &chart->n, sizeof(struct series)) =
		(struct series){ .label = wide ? "" : subject->tag,
			.form = wide ? FORM_LARGE_POINTS : FORM_POINTS,
			.colour = subject->colour,
			.run = subject->index,
			.points = points,
			.n = n };
}

double picture_clock(const struct picture *picture, const struct subjects *subjects,
	struct svg *svg, double y)
{
	struct chart chart = { .title = picture->title,
		.banner = subjects->banner,
		.x = axis_empty(AXIS_LINEAR, picture->x_axis.name),
		.y = axis_empty(AXIS_LINEAR, picture->y_axis.name) };
	double height = 0;

	chart.y.per = picture->y_axis.per;
	for (size_t i = 0; i < subjects->n; i++) {
		add_rows(&chart, &subjects->list[i], false);
		add_rows(&chart, &subjects->list[i], true);
	}
	if (axis_ready(&chart.x) && axis_ready(&chart.y))
		height = chart_draw(svg, &chart, y);
	for (size_t i = 0; i < chart.n; i++)
		free((struct point *)chart.series[i].points);
	free((struct series *)chart.series);
	return height;
}
