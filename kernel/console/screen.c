/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/console/screen.h"

#define COLUMNS_MIN 100 /* when the dots are made larger */
#define ROWS_MIN    40

static unsigned choose_scale(const struct raster *r)
{
	unsigned scale = 1;

	while (r->width / (GLYPH_WIDTH * (scale + 1)) >= COLUMNS_MIN &&
		r->height / (GLYPH_HEIGHT * (scale + 1)) >= ROWS_MIN)
		scale++;
	return scale;
}

/* Lines that the span does not cover must not be touched. */
static struct raster raster_of(const struct framebuffer *fb)
{
	uint64_t lines = fb->span.bytes && fb->pitch ? fb->span.bytes / 4 / fb->pitch : 0;
	uint32_t *pixels = fb->span.bytes ? (uint32_t *)fb->span.base : fb->shadow;

	if (!fb->span.bytes && fb->shadow)
		lines = fb->height;

	return (struct raster){
		.width = fb->width,
		.height = lines < fb->height ? (unsigned)lines : fb->height,
		.pixels = pixels,
		.pitch = fb->pitch,
		.red = fb->red,
		.green = fb->green,
		.blue = fb->blue,
	};
}

static void measure(struct screen *s, const struct framebuffer *fb)
{
	s->raster = raster_of(fb);
	s->scale = choose_scale(&s->raster);
	s->columns = fb->width / (GLYPH_WIDTH * s->scale);
	s->rows = s->raster.height / (GLYPH_HEIGHT * s->scale);
}

size_t screen_memory(const struct framebuffer *fb)
{
	struct screen s;

	measure(&s, fb);
	return 2 * (size_t)s.columns * s.rows;
}

/* A glyph has 8 rows of dots; each is drawn twice as high as wide. */
static void draw(const struct screen *s, unsigned at, unsigned n)
{
	const struct letters letters = { s->scale, 2 * s->scale, GLYPH_WIDTH * s->scale };
	struct area area = {
		.x = (int)(at % s->columns * GLYPH_WIDTH * s->scale),
		.y = (int)(at / s->columns * GLYPH_HEIGHT * s->scale),
		.height = (int)(GLYPH_HEIGHT * s->scale),
	};

	raster_text(&s->raster, &letters, area, (const char *)s->wanted + at, n, 0xffffff, 0);
}

/* Cells beside each other that changed are drawn together, but none twice. */
static void refresh(struct screen *s)
{
	for (unsigned i = s->first * s->columns, n; i < s->columns * s->rows; i += n) {
		unsigned end = (i / s->columns + 1) * s->columns;

		for (n = 0; i + n < end && s->shown[i + n] != s->wanted[i + n]; n++)
			s->shown[i + n] = s->wanted[i + n];
		if (n)
			draw(s, i, n);
		else
			n = 1;
	}
}

void screen_open(struct screen *s, const struct framebuffer *fb, void *memory)
{
	memset(s, 0, sizeof *s);
	if (fb->span.bytes || fb->shadow)
		measure(s, fb);
	if (!s->rows || !s->columns)
		return;
	s->shown = memory;
	s->wanted = s->shown + s->columns * s->rows;
	memset(s->shown, ' ', 2 * s->columns * s->rows);
	raster_fill(&s->raster, (struct area){ 0, 0, (int)s->raster.width, (int)s->raster.height },
		0);
}

void screen_keep_rows(struct screen *s, unsigned rows)
{
	unsigned first = s->rows - (rows < s->rows ? rows : s->rows);
	unsigned used = s->row - s->first + 1, kept = used < rows ? used : rows;

	if (!s->rows || !s->columns || !rows || first == s->first)
		return;
	memmove(s->wanted + first * s->columns, s->wanted + (s->row + 1 - kept) * s->columns,
		kept * s->columns);
	memset(s->wanted + (first + kept) * s->columns, ' ', (s->rows - first - kept) * s->columns);
	memset(s->shown, 0, s->columns * s->rows); /* no character: all are drawn again */
	s->first = first;
	s->row = first + kept - 1;
	refresh(s);
}

struct canvas screen_canvas(const struct screen *s)
{
	struct canvas c = { .raster = s->raster, .scale = s->scale };

	c.width = (int)s->raster.width;
	c.height = (int)(s->first * GLYPH_HEIGHT * s->scale);
	raster_fill(&s->raster, (struct area){ 0, 0, c.width, c.height }, 0);
	return c;
}

static void new_line(struct screen *s)
{
	s->column = 0;
	if (s->row + 1 < s->rows) {
		s->row++;
		return;
	}
	memmove(s->wanted + s->first * s->columns, s->wanted + (s->first + 1) * s->columns,
		s->columns * (s->rows - 1 - s->first));
	memset(s->wanted + s->columns * (s->rows - 1), ' ', s->columns);
}

static void put_character(struct screen *s, unsigned char c)
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
		put_character(s, (unsigned char)text[i]);
	refresh(s);
}
