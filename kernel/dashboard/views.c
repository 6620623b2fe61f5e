/* SPDX-License-Identifier: MIT */
/* The head and what runs; the end screen: its layout, the card, the code. */
#include <string.h>

#include "kernel/dashboard/views.h"
#include "lib/math.h"
#include "lib/qr.h"
#include "lib/text.h"

#define HEAD_PAPER 0x1d3d5c
#define BAR        0x56b4e9
#define WARNING    0xb3261e

struct place view_place(const struct canvas *c)
{
	return (struct place){ .raster = &c->raster,
		.letters = { c->scale, 2 * c->scale, GLYPH_WIDTH * c->scale },
		.line = GLYPH_HEIGHT * c->scale };
}

/* A line over all the width, from its left or to its right end. */
static void line_of(const struct canvas *c, const char *left, const char *right)
{
	struct place p = view_place(c);
	int letter = (int)p.letters.advance, columns = c->width / letter;
	int right_n = (int)strlen(right), most = columns - right_n - 3;
	struct area at = { letter, 0, 0, (int)p.line };

	raster_fill(&c->raster, (struct area){ 0, 0, c->width, (int)p.line }, HEAD_PAPER);
	raster_text(&c->raster, &p.letters, at, left,
		(size_t)math_clamp((double)strlen(left), 0, most), INK_STRONG, HEAD_PAPER);
	at.x = (columns - right_n - 1) * letter;
	raster_text(&c->raster, &p.letters, at, right, (size_t)right_n, INK_STRONG, HEAD_PAPER);
}

/* Letters twice as large, in the middle. */
static void warn(const struct canvas *c, int y, const char *text)
{
	struct letters large = { 2 * c->scale, 4 * c->scale, 2 * GLYPH_WIDTH * c->scale };
	int width = (int)(strlen(text) * large.advance);
	int height = (int)(2 * GLYPH_HEIGHT * c->scale);

	raster_fill(&c->raster, (struct area){ 0, y, c->width, height }, WARNING);
	raster_text(&c->raster, &large, (struct area){ (c->width - width) / 2, y, 0, height }, text,
		strlen(text), INK_STRONG, WARNING);
}

int view_head(const struct canvas *c, const struct headline *head)
{
	const struct card *card = head->card;
	int line = (int)(GLYPH_HEIGHT * c->scale);
	char left[80];

	text_format(left, sizeof left, "anechoic%s%s", *card->cpu ? ": " : "", card->cpu);
	line_of(c, left, head->right);
	if (!card->emulated && !card->virtual)
		return line;
	warn(c, line,
		card->emulated ? "EMULATED: times mean nothing" : "VIRTUAL: under a hypervisor");
	return 3 * line;
}

void view_running(const struct canvas *c, int y, const struct running *r)
{
	struct place p = view_place(c);
	int line = (int)p.line, letter = (int)p.letters.advance;
	int width = c->width - 2 * letter, done = (int)(width * math_clamp(r->part, 0, 1));
	char text[160];

	memset(text, ' ', sizeof text);
	memcpy(text, r->text, r->n < sizeof text ? r->n : sizeof text);
	raster_text(&c->raster, &p.letters, (struct area){ letter, y + line, 0, line }, text,
		(size_t)math_clamp(width / letter, 0, sizeof text), INK_STRONG, PAPER);
	y += 2 * line + line / 4;
	raster_fill(&c->raster, (struct area){ letter, y, done, line / 2 }, BAR);
	raster_fill(&c->raster, (struct area){ letter + done, y, width - done, line / 2 }, GRID);
}

/* The end screen: where the card and the pictures stand on displays of all sizes. */

#define CARD_COLUMNS 79
#define CARD_LINES   25 /* for so many there is space; infer/card.h: some cards have more */
#define LARGEST      8  /* pixels of a dot */
#define LEFT_PART    54 /* per cent of the width that the card may take beside pictures */

/* The largest letters with which the card fits, at least the smallest ones. */
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

/* Pixels of a module, 0: there is no room. */
static int code_dot(const struct code *code, int space)
{
	int dot = space > 0 ? space / (int)(code->side + 2 * QR_QUIET) : 0;

	return dot < CODE_DOT_LEAST ? 0 : dot;
}

/* Of the code with what must be white around it, within that many pixels; 0: none. */
static int code_side(const struct code *code, int space)
{
	return code ? code_dot(code, space) * (int)(code->side + 2 * QR_QUIET) : 0;
}

/* In the right lower corner of an area, as wide as high. */
static struct area corner(const struct area *a, int side)
{
	return (struct area){ a->x + a->width - side, a->y + a->height - side, side, side };
}

/* The card and the matrix on the left; the curves and the square on the right. */
static void beside(struct end_layout *l, const struct area *a, int gap, const struct code *code)
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

/* A display that is higher than wide: the curves below the card, then the matrix and the square. */
static void below(struct end_layout *l, const struct area *a, int gap, const struct code *code)
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

/* A small display: the square beside the card, all pictures in a row below. */
static void small(struct end_layout *l, const struct area *a, int gap, const struct code *code)
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

static void count_line(void *to, const char *text, size_t n)
{
	++*(unsigned *)to;
}

struct end_layout end_layout(const struct canvas *c, int top, const struct card *card,
	const struct code *code)
{
	int gap = (int)(GLYPH_WIDTH * c->scale), left;
	struct area all = { gap, top + 2 * gap, c->width - 2 * gap, c->height - top - 3 * gap };
	struct end_layout l = { .lines = 0 };

	card_print(card, count_line, &l.lines);
	left = all.width * LEFT_PART / 100;
	choose_letters(&l, left, all.height * 3 / 4);
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

int view_code_dot(const struct area *a, const struct code *code)
{
	return code_dot(code, least(a->width, a->height));
}

int view_code(const struct canvas *c, const struct area *a, const struct code *code)
{
	int dot = view_code_dot(a, code);
	int side = dot * (int)(code->side + 2 * QR_QUIET);

	raster_fill(&c->raster, (struct area){ a->x, a->y, side, side }, INK_STRONG);
	for (int y = 0; y < (int)code->side; y++)
		for (int x = 0; x < (int)code->side; x++)
			if (code->dark(code->of, (unsigned)x, (unsigned)y))
				raster_fill(&c->raster,
					(struct area){ a->x + (QR_QUIET + x) * dot,
						a->y + (QR_QUIET + y) * dot, dot, dot },
					PAPER);
	return dot;
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
