/* SPDX-License-Identifier: MIT */
/* Values of pairs of CPUs or nodes, of one run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/matrix.h"
#include "report/pictures.h"
#include "report/row_identity.h"

#define PLACES_MOST 1024 /* CPUs or nodes that a matrix may have */

static void add(struct matrix *matrix, double row, double column, double value, size_t id)
{
	struct matrix_cell **cells = (struct matrix_cell **)&matrix->cells, *cell;

	if (!(row >= 0 && row < PLACES_MOST && column >= 0 && column < PLACES_MOST) || isnan(value))
		return;
	cell = grow((void **)cells, &matrix->ncells, sizeof *cell);
	*cell = (struct matrix_cell){ (unsigned)row, (unsigned)column, value, (long)id };
	matrix->n = fmax(matrix->n, row + 1);
	matrix->m = fmax(matrix->m, column + 1);
	axis_cover(&matrix->shade, value);
}

/* A line goes back as it came: a pair of CPUs has two cells. */
static bool both_ways(const struct picture *picture)
{
	return !strcmp(picture->x, "cpu_a");
}

static void add_rows(struct matrix *matrix, const struct picture *picture,
	const struct run_data *run)
{
	for (size_t i = 0; i < run->nrows; i++) {
		const struct row_data *row = &run->rows[i];
		double a, b;

		if (strcmp(row->probe, picture->probe) || strcmp(row->variant, picture->variants))
			continue;
		a = row_parameter(row->json, picture->x);
		b = row_parameter(row->json, picture->y);
		add(matrix, a, b, row->median, i);
		if (both_ways(picture))
			add(matrix, b, a, row->median, i);
	}
}

double picture_matrix(const struct picture *picture, const struct subjects *subjects,
	struct svg *svg, double y)
{
	const struct subject *subject = &subjects->list[0];
	struct matrix matrix = { .title = picture->title,
		.banner = subjects->banner,
		.rows = both_ways(picture) ? "CPU" : "CPU of node",
		.columns = both_ways(picture) ? "CPU" : "memory of node",
		.shade = axis_empty(AXIS_LOG, picture->y_axis.name),
		.colour = subject->colour,
		.run = subject->index };
	double height = 0;

	add_rows(&matrix, picture, subject->run);
	if (matrix.ncells && isfinite(matrix.shade.low)) {
		if (!(matrix.shade.high > matrix.shade.low))
			matrix.shade.low /= 2; /* one value: the darkest shade */
		height = matrix_draw(svg, &matrix, y);
	}
	free((struct matrix_cell *)matrix.cells);
	return height;
}
