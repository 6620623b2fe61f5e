/* SPDX-License-Identifier: MIT */
/* Values of pairs of CPUs or nodes, of one run. */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
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

/* A CPU in its parts of the machine, by enum matrix_part; last its number. */
struct cpu {
	unsigned in[PARTS + 1];
};

#define ID_MOST 4e9 /* of a part; what is more is none */

static int part_that_differs(const struct cpu *a, const struct cpu *b)
{
	int part = 0;

	while (part < PARTS && a->in[part] == b->in[part])
		part++;
	return part;
}

static int by_parts(const void *a, const void *b)
{
	const struct cpu *x = a, *y = b;
	int part = part_that_differs(x, y);

	return x->in[part] < y->in[part] ? -1 : 1;
}

/* The CPUs of the run line's topology, where it has the first n. */
static bool read_cpus(struct line head, struct cpu *cpus, unsigned n)
{
	static const char *const keys[] = { "package", "node", "l3", "core", "thread" };
	struct member topology, cpu;
	unsigned i = 0;

	if (!line_find(head, KEY_TOPOLOGY, &topology))
		return false;
	const char *at = topology.value, *end = at + topology.value_bytes;
	for (; i < n && element_next(&at, end, &cpu); i++) {
		cpus[i].in[PARTS] = i;
		for (unsigned part = 0; part < PARTS; part++) {
			double in = line_number((struct line){ cpu.value, cpu.value_bytes },
				keys[part]);
			cpus[i].in[part] = in > 0 && in < ID_MOST ? (unsigned)in : 0;
		}
	}
	return i == n;
}

/* CPUs of a part stand beside each other, however they are numbered. */
static void group_cpus(struct matrix *matrix, struct line head)
{
	struct cpu *cpus = page_new(matrix->n, sizeof *cpus);
	struct matrix_place *places = page_new(matrix->n, sizeof *places);
	unsigned *at = page_new(matrix->n, sizeof *at); /* of a CPU */

	if (read_cpus(head, cpus, matrix->n)) {
		page_sort(cpus, matrix->n, sizeof *cpus, by_parts);
		for (unsigned i = 0; i < matrix->n; i++) {
			unsigned number = cpus[i].in[PARTS];
			places[i].number = number;
			places[i].part = part_that_differs(&cpus[i], &cpus[i ? i - 1 : 0]);
			at[number] = i;
		}
		for (size_t i = 0; i < matrix->ncells; i++) {
			struct matrix_cell *cell = (struct matrix_cell *)&matrix->cells[i];
			cell->row = at[cell->row];
			cell->column = at[cell->column];
		}
		matrix->places = places;
	} else {
		page_free(places);
	}
	page_free(cpus);
	page_free(at);
}

void picture_matrix(const struct picture *picture, const struct subjects *subjects,
	struct drawing *drawing)
{
	const struct subject *subject = &subjects->list[0];
	bool cpus = both_ways(picture);
	struct matrix matrix = { .title = picture->title,
		.banner = subjects->banner,
		.rows = cpus ? "CPU" : "CPU of node",
		.columns = cpus ? "CPU" : "memory of node",
		.shade = axis_empty(AXIS_LOG, picture->y_axis.name),
		.colour = subject->colour,
		.run = subject->index };

	add_cells(&matrix, picture, subject->run);
	if (!matrix.ncells || !math_finite(matrix.shade.low)) {
		page_free(matrix.cells);
		return;
	}
	if (!(matrix.shade.high > matrix.shade.low))
		matrix.shade.low /= 2; /* one value: the strongest shade */
	if (cpus)
		group_cpus(&matrix, subject->run->head);
	*drawing = (struct drawing){ .kind = DRAW_MATRIX, .matrix = matrix };
}
