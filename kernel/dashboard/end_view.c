/* SPDX-License-Identifier: MIT */
/* The end screen: where the card and the pictures stand on displays of all sizes. */
#include "kernel/dashboard/views.h"

#include <string.h>

#define CARD_COLUMNS 79
#define CARD_LINES   26 /* infer/card.h: at most 25, and one of air */
#define LARGEST      8  /* pixels of a dot */

/* The largest letters with which the card fits, at least the smallest ones. */
static void choose_letters(struct end_layout *l, int width, int height)
{
	l->letters = (struct letters){ 1, 1, 6 };
	l->line = 10;
	for (unsigned wide = LARGEST; wide > 0; wide--)
		for (unsigned dots = GLYPH_WIDTH; dots >= 6; dots -= 2)
			for (unsigned high = 2 * wide; high >= wide; high--)
				if ((int)(CARD_COLUMNS * dots * wide) <= width &&
					(int)(CARD_LINES * 8 * high) <= height) {
					l->letters = (struct letters){ wide, high, dots * wide };
					l->line = 8 * high;
					return;
				}
}

static int card_width(const struct end_layout *l)
{
	return (int)(CARD_COLUMNS * l->letters.advance);
}

static int card_height(const struct end_layout *l)
{
	return (int)(CARD_LINES * l->line);
}

static struct area squared(struct area a)
{
	int side = a.width < a.height ? a.width : a.height;

	if (side < 0)
		side = 0;
	return (struct area){ a.x + a.width - side, a.y + a.height - side, side, side };
}

/* The card and the matrix on the left; the curves on the right, and below them the square. */
static void beside(struct end_layout *l, struct area a, int gap)
{
	int left = card_width(l), right = a.width - left - gap, third = a.height / 3;

	l->card = (struct area){ a.x, a.y, left, card_height(l) };
	l->matrix = (struct area){ a.x, a.y + l->card.height + gap, left - gap,
		a.height - l->card.height - gap };
	l->latency = (struct area){ a.x + left + gap, a.y, right, third - gap };
	l->noise = (struct area){ l->latency.x, a.y + third, right, third - gap };
	l->square = squared((struct area){
		l->latency.x, a.y + 2 * third, right, a.height - 2 * third });
}

/* A display that is higher than wide: the curves below the card, then the matrix and the square. */
static void below(struct end_layout *l, struct area a, int gap)
{
	int y = a.y + card_height(l) + gap, third = (a.y + a.height - y) / 3;

	l->card = (struct area){ a.x, a.y, card_width(l), card_height(l) };
	l->latency = (struct area){ a.x, y, a.width, third - gap };
	l->noise = (struct area){ a.x, y + third, a.width, third - gap };
	l->matrix = (struct area){ a.x, y + 2 * third, a.width / 2 - gap, third };
	l->square = squared((struct area){ a.x + a.width / 2, y + 2 * third, a.width / 2, third });
}

/* A small display: the square beside the card, all pictures in a row below. */
static void small(struct end_layout *l, struct area a, int gap)
{
	int y = a.y + card_height(l) + gap, height = a.y + a.height - y, third = a.width / 3;

	l->card = (struct area){ a.x, a.y, card_width(l), card_height(l) };
	l->square = squared((struct area){
		a.x + l->card.width + gap, a.y, a.width - l->card.width - gap, l->card.height });
	l->latency = (struct area){ a.x, y, third - gap, height };
	l->noise = (struct area){ a.x + third, y, third - gap, height };
	l->matrix = (struct area){ a.x + 2 * third, y, a.width - 2 * third, height };
}

struct end_layout end_layout(const struct canvas *c, int top)
{
	int gap = (int)(GLYPH_WIDTH * c->scale);
	struct area all = { gap, top + gap, c->width - 2 * gap, c->height - top - gap };
	struct end_layout l = { 0 };

	choose_letters(&l, all.width * 54 / 100, all.height * 3 / 4);
	if (card_width(&l) <= all.width * 54 / 100) {
		beside(&l, all, 2 * gap);
		return l;
	}
	choose_letters(&l, all.width, all.height * 2 / 3);
	if (c->height > c->width)
		below(&l, all, 2 * gap);
	else
		small(&l, all, gap);
	return l;
}

/* Where the next line of the card goes. */
struct pen {
	const struct canvas *canvas;
	const struct end_layout *layout;
	int y;
	unsigned lines;
};

/* card_print says a line at a time; the first is empty. */
static void write_line(void *to, const char *text, size_t n)
{
	struct pen *pen = to;
	const struct area *a = &pen->layout->card;

	while (n && *text == '\n') {
		text++;
		n--;
	}
	if (n && text[n - 1] == '\n')
		n--;
	if (pen->y + (int)pen->layout->line <= a->y + a->height)
		raster_text(&pen->canvas->raster, &pen->layout->letters,
			(struct area){ a->x, pen->y, 0, (int)pen->layout->line }, text, n,
			pen->lines ? INK : INK_STRONG, PAPER);
	pen->y += (int)pen->layout->line;
	pen->lines++;
}

void view_card(const struct canvas *c, const struct end_layout *l, const struct card *card)
{
	struct pen pen = { c, l, l->card.y, 0 };

	card_print(card, write_line, &pen);
}
