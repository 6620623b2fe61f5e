/* SPDX-License-Identifier: MIT */
#include "page/picture/matrix.h"

#include <string.h>

#include "lib/math.h"
#include "lib/text.h"
#include "page/picture/chart.h"

#define SHADES      10
#define CELL_MOST   40.0 /* width of a cell */
#define NUMBERS     28.0 /* cells at least this wide have their value in them */
#define LEFT        30.0
#define HEAD        32.0
#define KEY_HEIGHT  34.0
#define PLACE_WIDTH 280.0 /* most width of all columns together */

struct matrix_layout {
	double cell, bottom, height;
	unsigned every; /* rows from one number beside them to the next */
};

static struct matrix_layout lay_out(const struct matrix *matrix)
{
	unsigned most = matrix->n > matrix->m ? matrix->n : matrix->m;
	struct matrix_layout l = { .every = 1 };

	l.cell = math_min(CELL_MOST, PLACE_WIDTH / (most ? most : 1));
	while (l.every * l.cell < 18)
		l.every *= 2;
	l.bottom = HEAD + l.cell * matrix->n;
	l.height = l.bottom + KEY_HEIGHT + picture_note(NULL, 0, matrix->note);
	return l;
}

static unsigned shade_of(const struct matrix *matrix, double value)
{
	unsigned shade = (unsigned)(axis_part(&matrix->shade, value) * SHADES);

	return shade < SHADES ? shade : SHADES - 1;
}

static double middle(const struct matrix_layout *l, unsigned at)
{
	return l->cell * (at + 0.5);
}

/* Draw all cells of one shade as one path: its capital Ms are their middles. */
static void draw_shade(struct sink *svg, const struct matrix *matrix, const struct matrix_layout *l,
	unsigned shade)
{
	double half = l->cell / 2 - (l->cell > 6 ? 0.5 : 0);
	size_t n = 0;

	for (size_t i = 0; i < matrix->ncells; i++) {
		if (shade_of(matrix, matrix->cells[i].value) != shade)
			continue;
		if (!n++)
			sink_put(svg, "<path class=\"s s%u\" data-run=\"%u\" data-r=\"", shade,
				matrix->run);
		sink_put(svg, n > 1 ? " %ld" : "%ld", matrix->cells[i].id);
	}
	if (!n)
		return;
	sink_put(svg, "\" d=\"");
	for (size_t i = 0; i < matrix->ncells; i++) {
		const struct matrix_cell *c = &matrix->cells[i];
		if (shade_of(matrix, c->value) == shade)
			sink_put(svg, "M%.1f %.1fm%.1f %.1fh%.1fv%.1fh%.1fz",
				LEFT + middle(l, c->column), HEAD + middle(l, c->row), -half, -half,
				2 * half, 2 * half, -2 * half);
	}
	sink_put(svg, "\"/>");
}

/*
 * The kinds of parts that there are several of, a bit each; cores only if one has several threads.
 */
static unsigned matrix_parts(const struct matrix *matrix)
{
	unsigned parts = 0;

	for (unsigned i = 1; matrix->places && i < matrix->n; i++)
		parts |= 1u << matrix->places[i].part;
	if (!(parts & 1u << PART_THREAD))
		parts &= ~(1u << PART_CORE);
	return parts & ((1u << PART_THREAD) - 1);
}

static void draw_heads(struct sink *svg, const struct matrix *matrix, const struct matrix_layout *l)
{
	static const char *const names[] = { "packages", "nodes", "L3s", "cores" };
	unsigned parts = matrix_parts(matrix);
	char text[128];

	for (unsigned i = 0; i < matrix->n; i += l->every) {
		text_format(text, sizeof text, "%u", matrix_number(matrix, i));
		svg_label(svg, LEFT - 4, HEAD + middle(l, i) + 4, "f e", "", text);
	}
	for (unsigned i = 0; i < matrix->m; i += l->every) {
		text_format(text, sizeof text, "%u", matrix_number(matrix, i));
		svg_label(svg, LEFT + middle(l, i), HEAD - 4, "f m", "", text);
	}
	text_format(text, sizeof text, "%s down, %s across%s", matrix->rows, matrix->columns,
		parts ? "; lines between" : "");
	for (unsigned i = 0; i < PART_THREAD; i++)
		if (parts & 1u << i)
			text_format(text + strlen(text), sizeof text - strlen(text), "%s %s",
				parts & ((1u << i) - 1) ? "," : "", names[i]);
	svg_label(svg, 0, HEAD - 18, "f", "", text);
}

static void draw_values(struct sink *svg, const struct matrix *matrix,
	const struct matrix_layout *l)
{
	char text[TICK_TEXT];

	if (l->cell < NUMBERS)
		return;
	for (size_t i = 0; i < matrix->ncells; i++) {
		const struct matrix_cell *c = &matrix->cells[i];
		axis_text(&matrix->shade, c->value, text);
		svg_label(svg, LEFT + middle(l, c->column), HEAD + middle(l, c->row) + 4, "n m", "",
			text);
	}
}

unsigned matrix_number(const struct matrix *matrix, unsigned at)
{
	return matrix->places ? matrix->places[at].number : at;
}

#define LITTLE 1.1 /* the shades exaggerate a smaller factor */

void matrix_ends(const struct matrix *matrix, char low[TICK_TEXT], char high[MATRIX_END])
{
	double least = matrix->cells[0].value, most = least;
	char text[TICK_TEXT];

	for (size_t i = 1; i < matrix->ncells; i++) {
		least = math_min(least, matrix->cells[i].value);
		most = math_max(most, matrix->cells[i].value);
	}
	axis_text(&matrix->shade, least, low);
	axis_text(&matrix->shade, most, text);
	int n = text_format(high, MATRIX_END, "%s %s", text, matrix->shade.name);

	if (!(least < most))
		*low = 0;
	else if (most < LITTLE * least)
		text_format(high + n, MATRIX_END - n, ", %.2g %% apart", 100 * (most / least - 1));
}

/* Draw the shades below, with the values at both ends: true on any paper. */
static void draw_key(struct sink *svg, const struct matrix *matrix, const struct matrix_layout *l)
{
	double y = l->bottom + 8, width = 12, x = LEFT;
	char low[TICK_TEXT], high[MATRIX_END];

	matrix_ends(matrix, low, high);
	if (*low) {
		svg_label(svg, x, y + 8, "f", "", low);
		x += svg_text_width(low) + 6;
	}
	for (unsigned i = *low ? 0 : SHADES - 1; i < SHADES; i++, x += width)
		sink_put(svg,
			"<rect class=\"s s%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"8\"/>",
			i, x, y, width);
	svg_label(svg, x + 6, y + 8, "f", "", high);
}

/* Draw lines where a part of the machine ends; the larger the part, the wider the line. */
static void draw_parts(struct sink *svg, const struct matrix *matrix, const struct matrix_layout *l)
{
	unsigned parts = matrix_parts(matrix);

	for (unsigned i = 1; matrix->places && i < matrix->n; i++) {
		enum matrix_part part = matrix->places[i].part;
		double at = l->cell * i, side = l->cell * matrix->n;

		if (parts & 1u << part)
			sink_put(svg,
				"<path class=\"ring\" style=\"stroke-width:%.1f\" "
				"d=\"M%.1f %.1fv%.1fM%.1f %.1fh%.1f\"/>",
				(PART_THREAD - part) / 2., LEFT + at, HEAD, side, LEFT, HEAD + at,
				side);
	}
}

double matrix_draw(struct sink *svg, const struct matrix *matrix, double y)
{
	struct matrix_layout l = lay_out(matrix);

	picture_begin(svg, y, l.height, matrix->title);
	picture_note(svg, l.bottom + KEY_HEIGHT, matrix->note);
	draw_heads(svg, matrix, &l);
	sink_put(svg, "<g class=\"c%u\">", matrix->colour % COLOURS);
	for (unsigned shade = 0; shade < SHADES; shade++)
		draw_shade(svg, matrix, &l, shade);
	draw_key(svg, matrix, &l);
	sink_put(svg, "</g>");
	draw_parts(svg, matrix, &l);
	draw_values(svg, matrix, &l);
	sink_put(svg, "</svg>\n");
	return l.height;
}
