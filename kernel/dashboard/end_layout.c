/* SPDX-License-Identifier: MIT */
#include "kernel/dashboard/end_layout.h"

#include "lib/qr.h"

#define CARD_COLUMNS 79
#define CARD_LINES   25 /* that fit; some cards have more: engine/infer/card.h */
#define LARGEST      8  /* pixels of a dot */
#define LINE_LEAST   16 /* pixels; lower lines touch: rather no picture below the card */
#define LEFT_PART    54 /* per cent of the width that the card may take beside pictures */

/* Choose the largest letters with which the card fits, at least the smallest ones. */
static void choose_letters(struct end_layout *l, int width, int height)
{
	unsigned lines = l->lines > CARD_LINES ? l->lines : CARD_LINES;
	l->letters = (struct letters){ 1, 1, 6 };
	l->line = 10;
	for (unsigned wide = LARGEST; wide > 0; wide--)
		for (unsigned dots = GLYPH_WIDTH; dots >= 6; dots -= 2)
			for (unsigned high = 2 * wide; high >= wide; high--)
				if ((int)(CARD_COLUMNS * dots * wide) <= width &&
					(int)(lines * 8 * high) <= height) {
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
	return (int)(l->lines * l->line);
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Pixels of a module; 0: there is no space for the code. */
static int code_dot(const struct qr_modules *code, int space)
{
	int dot = space > 0 ? space / (int)(code->side + 2 * QR_QUIET) : 0;

	return dot < CODE_DOT_LEAST ? 0 : dot;
}

/* Side of the code and its white border in pixels, if it fits into `space` pixels; 0: none. */
static int code_side(const struct qr_modules *code, int space)
{
	return code ? code_dot(code, space) * (int)(code->side + 2 * QR_QUIET) : 0;
}

/* A square in the right lower corner of an area. */
static struct area corner(const struct area *a, int side)
{
	return (struct area){ a->x + a->width - side, a->y + a->height - side, side, side };
}

/* Layout: the card and the matrix on the left; the curves and the code on the right. */
static void beside(struct end_layout *l, const struct area *a, int gap,
	const struct qr_modules *code)
{
	int left = card_width(l), x = a->x + left + gap, right = a->width - left - gap;
	int below = a->height - a->height * 2 / 5;
	int side = code_side(code, least(below, right * 3 / 5));

	l->card = (struct area){ a->x, a->y, left, card_height(l) };
	l->matrix = (struct area){ a->x, a->y + l->card.height + gap, left,
		a->height - l->card.height - gap };
	if (!side)
		below = a->height / 2;
	l->latency = (struct area){ x, a->y, right, a->height - below - gap };
	l->noise = (struct area){ x, a->y + a->height - below, right - (side ? side + gap : 0),
		below };
	l->square = corner(a, side);
}

/* Layout of a display that is higher than wide: the curves below the card, then matrix and code. */
static void below(struct end_layout *l, const struct area *a, int gap,
	const struct qr_modules *code)
{
	int y = a->y + card_height(l) + gap, third = (a->y + a->height - y) / 3;
	int side = code_side(code, least(2 * third, a->width / 2));
	int width = a->width - (side ? side + gap : 0);

	l->card = (struct area){ a->x, a->y, card_width(l), card_height(l) };
	l->latency = (struct area){ a->x, y, a->width, third - gap };
	l->noise = (struct area){ a->x, y + third, width, third - gap };
	l->matrix = (struct area){ a->x, y + 2 * third, width, third };
	l->square = corner(a, side);
}

/* Layout of a small display: the code beside the card, all pictures in a row below. */
static void small(struct end_layout *l, const struct area *a, int gap,
	const struct qr_modules *code)
{
	int y = a->y + card_height(l) + gap, height = a->y + a->height - y, third = a->width / 3;
	int free = a->width - card_width(l) - gap;

	l->card = (struct area){ a->x, a->y, card_width(l), card_height(l) };
	l->small = true;
	l->square.width = l->square.height = code_side(code, least(free, l->card.height));
	l->square.x = a->x + a->width - l->square.width;
	l->square.y = a->y;
	l->latency = (struct area){ a->x, y, third - gap, height };
	l->noise = (struct area){ a->x + third, y, third - gap, height };
	l->matrix = (struct area){ a->x + 2 * third, y, a->width - 2 * third, height };
}

struct end_layout end_layout(const struct canvas *c, int top, unsigned lines,
	const struct qr_modules *code)
{
	int gap = (int)(GLYPH_WIDTH * c->scale), left;
	struct area all = { gap, top + 2 * gap, c->width - 2 * gap, c->height - top - 3 * gap };
	struct end_layout l = { .lines = lines };

	left = all.width * LEFT_PART / 100;
	choose_letters(&l, left, all.height * 3 / 4);
	if (l.line < LINE_LEAST && (int)lines * LINE_LEAST <= all.height)
		choose_letters(&l, left, all.height);
	if (card_width(&l) <= left) {
		beside(&l, &all, 2 * gap, code);
		return l;
	}
	choose_letters(&l, all.width, all.height * 2 / 3);
	if (c->height > c->width)
		below(&l, &all, 2 * gap, code);
	else
		small(&l, &all, gap, code);
	return l;
}

int code_dot_in(const struct area *a, const struct qr_modules *code)
{
	return code_dot(code, least(a->width, a->height));
}
