/* SPDX-License-Identifier: MIT */
/* Values of pairs of CPUs or nodes, of one run. */
#include <string.h>

#include "lib/math.h"
#include "page/page_memory.h"
#include "page/pictures.h"

#define PLACES_MOST 1024 /* CPUs or nodes that a matrix may have */

static void add_cell(struct matrix *matrix, double row, double column, double value, size_t id)
{
	struct matrix_cell **cells = (struct matrix_cell **)&matrix->cells, *cell;

	if (!(row >= 0 && row < PLACES_MOST && column >= 0 && column < PLACES_MOST) ||
		math_is_nan(value))
		return;
	cell = page_grow((void **)cells, &matrix->ncells, sizeof *cell);
	*cell = (struct matrix_cell){ (unsigned)row, (unsigned)column, value, (long)id };
	matrix->n = math_max(matrix->n, row + 1);
	matrix->m = math_max(matrix->m, column + 1);
	axis_cover(&matrix->shade, value);
}

/* A line goes back as it came: a pair of CPUs has two cells. */
static bool both_ways(const struct picture *picture)
{
	return !strcmp(picture->x, "cpu_a");
}

static void add_cells(struct matrix *matrix, const struct picture *picture,
	const struct shown_run *run)
{
	for (size_t i = 0; i < run->nrows; i++) {
		const struct result_row *row = &run->rows[i];
		double a, b;

		if (strcmp(row->probe, picture->probe) || strcmp(row->variant, picture->variants))
			continue;
		a = result_parameter(row, picture->x);
		b = result_parameter(row, picture->y);
		add_cell(matrix, a, b, row->numbers[ROW_median], i);
		if (both_ways(picture))
			add_cell(matrix, b, a, row->numbers[ROW_median], i);
	}
}

void picture_matrix(const struct picture *picture, const struct subjects *subjects,
	struct drawing *drawing)
{
	const struct subject *subject = &subjects->list[0];
	struct matrix matrix = { .title = picture->title,
		.banner = subjects->banner,
		.rows = both_ways(picture) ? "CPU" : "CPU of node",
		.columns = both_ways(picture) ? "CPU" : "memory of node",
		.shade = axis_empty(AXIS_LOG, picture->y_axis.name),
		.colour = subject->colour,
		.run = subject->index };

	add_cells(&matrix, picture, subject->run);
	if (!matrix.ncells || !math_finite(matrix.shade.low)) {
		page_free(matrix.cells);
		return;
	}
	if (!(matrix.shade.high > matrix.shade.low))
		matrix.shade.low /= 2; /* one value: the darkest shade */
	*drawing = (struct drawing){ .kind = DRAW_MATRIX, .matrix = matrix };
}
