/* SPDX-License-Identifier: MIT */
/* The core clock over the time of the run: a point for each row of any probe. */

#include "lib/math.h"
#include "page/page_memory.h"
#include "page/pictures.h"

#define WIDE_BITS 512 /* vectors for which processors have lowered their clock: AVX-512 */

static bool is_wide(const struct shown_row *row)
{
	return shown_parameter(row, "width_bits") >= WIDE_BITS;
}

static void add_rows(struct chart *chart, const struct subject *subject, bool wide)
{
	struct point *points = NULL;
	size_t n = 0;

	for (size_t i = 0; i < subject->run->nrows; i++) {
		const struct shown_row *row = &subject->run->rows[i];
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
