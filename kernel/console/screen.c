/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/console/screen.h"
#include "picture/font.h"

#define COLUMNS_MIN 100 /* when the dots are made larger */
#define ROWS_MIN    40

static unsigned choose_scale(const struct framebuffer *fb)
{
	unsigned scale = 1;

	while (fb->width / (GLYPH_WIDTH * (scale + 1)) >= COLUMNS_MIN &&
		fb->height / (GLYPH_HEIGHT * (scale + 1)) >= ROWS_MIN)
		scale++;
	return scale;
}

static void measure(struct screen *s, const struct framebuffer *fb)
{
	s->fb = *fb;
	s->scale = choose_scale(fb);
	s->columns = fb->width / (GLYPH_WIDTH * s->scale);
	s->rows = fb->height / (GLYPH_HEIGHT * s->scale);
	/* the part of the last row that the span does not cover must not be touched */
	while (s->rows > 0 &&
		(uint64_t)s->rows * GLYPH_HEIGHT * s->scale * fb->pitch * 4 > fb->span.bytes)
		s->rows--;
}

size_t screen_memory(const struct framebuffer *fb)
{
	struct screen s;

	measure(&s, fb);
	return 2 * (size_t)s.columns * s.rows;
}

static uint32_t *line_at(const struct screen *s, unsigned y)
{
	return (uint32_t *)s->fb.span.base + (size_t)y * s->fb.pitch;
}

static void draw_dots(const struct screen *s, uint32_t *to, uint8_t dots)
{
	uint32_t light = s->fb.red | s->fb.green | s->fb.blue;

	for (unsigned x = 0; x < GLYPH_WIDTH; x++)
		for (unsigned i = 0; i < s->scale; i++)
			*to++ = dots & 0x80 >> x ? light : 0;
}

/* A glyph has 8 rows of dots; each is drawn twice as high as wide. */
static void draw(const struct screen *s, unsigned column, unsigned row, unsigned char c)
{
	unsigned left = column * GLYPH_WIDTH * s->scale, top = row * GLYPH_HEIGHT * s->scale;

	for (unsigned y = 0; y < GLYPH_HEIGHT * s->scale; y++)
		draw_dots(s, line_at(s, top + y) + left, font_dots(c, y / (2 * s->scale)));
}

static void refresh(struct screen *s)
{
	for (unsigned i = 0; i < s->columns * s->rows; i++)
		if (s->shown[i] != s->wanted[i]) {
			s->shown[i] = s->wanted[i];
			draw(s, i % s->columns, i / s->columns, s->shown[i]);
		}
}

void screen_open(struct screen *s, const struct framebuffer *fb, void *memory)
{
	memset(s, 0, sizeof *s);
	if (fb->span.bytes)
		measure(s, fb);
	if (!s->rows || !s->columns)
		return;
	s->shown = memory;
	s->wanted = s->shown + s->columns * s->rows;
	memset(s->shown, ' ', 2 * s->columns * s->rows);
	for (unsigned y = 0; y < s->fb.height; y++)
		if ((uint64_t)(y + 1) * s->fb.pitch * 4 <= s->fb.span.bytes)
			memset(line_at(s, y), 0, (size_t)s->fb.width * 4);
}

static void new_line(struct screen *s)
{
	s->column = 0;
	if (s->row + 1 < s->rows) {
		s->row++;
		return;
	}
	memmove(s->wanted, s->wanted + s->columns, s->columns * (s->rows - 1));
	memset(s->wanted + s->columns * (s->rows - 1), ' ', s->columns);
}

static void put(struct screen *s, unsigned char c)
{
	if (c == '\n') {
		new_line(s);
	} else if (c == '\r') {
		s->column = 0;
	} else {
		if (s->column == s->columns)
			new_line(s);
		s->wanted[s->row * s->columns + s->column++] = c;
	}
}

void screen_write(struct screen *s, const char *text, size_t n)
{
	if (!s->rows || !s->columns)
		return;
	for (size_t i = 0; i < n; i++)
		put(s, (unsigned char)text[i]);
	refresh(s);
}
