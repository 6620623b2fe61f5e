/* SPDX-License-Identifier: MIT */
/* A matrix as pixels: light is much. */
#include "picture/pixels.h"

#include <string.h>

#include "lib/math.h"
#include "lib/text.h"

#define SHADES 10
#define DARK   0.15 /* the least of the colour that a cell has */
#define LIGHT  0.6  /* from here on letters in it are dark */

struct layout {
	int cell, left, top;
	bool values;    /* every cell is wide enough for its own */
	unsigned every; /* so many rows from one number beside them to the next */
};

static bool lay_out(struct layout *l, const struct place *place, const struct matrix *m)
{
	const struct area *a = &place->area;
	int letter = (int)place->letters.advance, line = (int)place->line;
	int width, height;

	l->left = a->x + 4 * letter;
	l->top = a->y + 3 * line;
	width = (a->x + a->width - l->left) / (int)(m->m ? m->m : 1);
	height = (a->y + a->height - line - line / 4 - l->top) / (int)(m->n ? m->n : 1);
	l->cell = width < height ? width : height;
	for (l->every = 1; l->cell > 0 && (int)l->every * l->cell < 3 * letter; l->every *= 2)
		;
	return l->cell > 0;
}

static bool values_fit(const struct place *place, const struct layout *l, const struct matrix *m)
{
	char text[TICK_TEXT];

	if ((int)place->line >= l->cell)
		return false;
	for (size_t i = 0; i < m->ncells; i++) {
		axis_text(&m->shade, m->cells[i].value, text);
		if (pixels_width(place, strlen(text)) + 2 >= l->cell)
			return false;
	}
	return true;
}

static double part_of(const struct matrix *m, double value)
{
	unsigned shade = (unsigned)(axis_part(&m->shade, value) * SHADES);

	return DARK + (1 - DARK) * (shade < SHADES ? shade : SHADES - 1) / (SHADES - 1);
}

static void draw_cell(const struct place *place, const struct layout *l, const struct matrix *m,
	const struct matrix_cell *cell)
{
	double part = part_of(m, cell->value);
	uint32_t colour = pixels_mix(pixels_colour(m->colour), PAPER, part);
	int gap = l->cell > 6, x = l->left + l->cell * (int)cell->column;
	int y = l->top + l->cell * (int)cell->row, width;
	char text[TICK_TEXT];

	raster_fill(place->raster, (struct area){ x, y, l->cell - gap, l->cell - gap }, colour);
	axis_text(&m->shade, cell->value, text);
	width = pixels_width(place, strlen(text));
	if (l->values)
		raster_text(place->raster, &place->letters,
			(struct area){ x + (l->cell - width) / 2,
				y + (l->cell - (int)place->line) / 2, width, (int)place->line },
			text, strlen(text), part > LIGHT ? PAPER : INK_STRONG, colour);
}

static void draw_heads(const struct place *place, const struct layout *l, const struct matrix *m)
{
	int line = (int)place->line, letter = (int)place->letters.advance;
	char text[64];

	text_format(text, sizeof text, "%s down, %s across", m->rows, m->columns);
	pixels_text(place, place->area.x, place->area.y + line, place->area.width, text, INK_FAINT);
	for (unsigned i = 0; i < m->n; i += l->every) {
		int n = text_format(text, sizeof text, "%u", i);

		pixels_text(place, l->left - letter * n - letter / 2,
			l->top + l->cell * (int)i + (l->cell - line) / 2, letter * n, text,
			INK_FAINT);
	}
	for (unsigned i = 0; i < m->m; i += l->every) {
		int n = text_format(text, sizeof text, "%u", i);

		pixels_text(place, l->left + l->cell * (int)i + (l->cell - letter * n) / 2,
			l->top - line, letter * n, text, INK_FAINT);
	}
}

static void draw_key(const struct place *place, const struct layout *l, const struct matrix *m)
{
	char text[MATRIX_KEY];

	matrix_key(m, " (dark)", text);
	pixels_text(place, place->area.x, l->top + l->cell * (int)m->n + (int)place->line / 4,
		place->area.width, text, INK_FAINT);
}

void matrix_pixels(const struct place *place, const struct matrix *m)
{
	const struct area *a = &place->area;
	struct layout l;

	raster_fill(place->raster, *a, PAPER);
	pixels_text(place, a->x, a->y, a->width, m->title, INK_STRONG);
	if (!lay_out(&l, place, m))
		return;
	l.values = !place->brief && values_fit(place, &l, m);
	if (!place->brief) {
		draw_heads(place, &l, m);
		draw_key(place, &l, m);
	}
	for (size_t i = 0; i < m->ncells; i++)
		draw_cell(place, &l, m, &m->cells[i]);
}
