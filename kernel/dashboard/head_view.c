/* SPDX-License-Identifier: MIT */
#include "kernel/dashboard/views.h"

#include <string.h>

#include "lib/math.h"
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
