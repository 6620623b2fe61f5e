/* SPDX-License-Identifier: MIT */
#include "page/picture/raster.h"

#include <stdbool.h>

#include "lib/math.h"
#include "page/picture/font.h"

#define STRIP 256     /* pixels of a line that are computed at once */
#define DOTS  8       /* of the font, each way */
#define FAR   1000000 /* pixels: more than any raster has */

/* A value of 0..255 scaled and shifted into a mask of any width. */
static uint32_t within(uint32_t mask, uint32_t part)
{
	unsigned shift = (unsigned)__builtin_ctz(mask);
	unsigned bits = 32 - (unsigned)__builtin_clz(mask) - shift;

	return ((bits < 8 ? part >> (8 - bits) : part << (bits - 8)) << shift) & mask;
}

static uint32_t pixel_of(const struct raster *r, uint32_t colour)
{
	return within(r->red, colour >> 16 & 255) | within(r->green, colour >> 8 & 255) |
		within(r->blue, colour & 255);
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

/* The part that two areas share; empty if they share none. */
static struct area shared(const struct area *a, const struct area *b)
{
	struct area out = { most(a->x, b->x), most(a->y, b->y), 0, 0 };

	out.width = least(a->x + a->width, b->x + b->width) - out.x;
	out.height = least(a->y + a->height, b->y + b->height) - out.y;
	return out;
}

static struct area clipped(const struct raster *r, const struct area *a)
{
	const struct area all = { 0, 0, (int)r->width, (int)r->height };

	return shared(a, &all);
}

/* Draw lines of pixels that are all the same: `strip`, of the area's width. */
static void put_strip(const struct raster *r, struct area area, const uint32_t *strip)
{
	struct area a = clipped(r, &area);

	if (a.width < 1 || a.height < 1)
		return;
	strip += a.x - area.x;
	for (int y = a.y; y < a.y + a.height; y++) {
		volatile uint32_t *line = r->pixels + (size_t)y * r->pitch + a.x;

		for (int x = 0; x < a.width; x++)
			line[x] = strip[x];
	}
}

void raster_fill(const struct raster *r, struct area area, uint32_t colour)
{
	struct area a = clipped(r, &area);
	uint32_t strip[STRIP], pixel = pixel_of(r, colour);

	for (unsigned i = 0; i < STRIP; i++)
		strip[i] = pixel;
	for (int x = 0; x < a.width; x += STRIP)
		put_strip(r, (struct area){ a.x + x, a.y, least(a.width - x, STRIP), a.height },
			strip);
}

/*
 * Cut a line where it leaves low..high in the first coordinate. Returns false if nothing is left.
 */
static bool cut(double *a0, double *b0, double *a1, double *b1, double low, double high)
{
	double slope = (*b1 - *b0) / (*a1 - *a0);

	if ((*a0 < low && *a1 < low) || (*a0 > high && *a1 > high))
		return false;
	for (int i = 0; i < 2; i++) {
		double *a = i ? a1 : a0, *b = i ? b1 : b0;
		double at = math_clamp(*a, low, high);

		if (at != *a)
			*b += slope * (at - *a);
		*a = at;
	}
	return true;
}

/* The first pixel of a line of that width around `middle`. */
static int begin_of(double middle, unsigned thick)
{
	double edge = middle - (thick - 1) / 2.0 + FAR;

	return (int)(edge + 0.5) - FAR;
}

void raster_line(const struct raster *r, double x0, double y0, double x1, double y1, unsigned thick,
	uint32_t colour)
{
	double air = thick;

	if (!math_finite(x0 + y0 + x1 + y1) || !thick || thick > FAR / 2 ||
		!cut(&x0, &y0, &x1, &y1, -air, r->width + air) ||
		!cut(&y0, &x0, &y1, &x1, -air, r->height + air))
		return;
	int steps = 1 + (int)math_max(math_abs(x1 - x0), math_abs(y1 - y0));
	for (int i = 0; i <= steps; i++) {
		double part = (double)i / steps;

		raster_fill(r,
			(struct area){ begin_of(x0 + (x1 - x0) * part, thick),
				begin_of(y0 + (y1 - y0) * part, thick), (int)thick, (int)thick },
			colour);
	}
}

/* Write a line of a letter's dots; returns how many pixels were written. */
static unsigned dots_of(const struct letters *l, uint8_t dots, uint32_t *to, uint32_t ink,
	uint32_t ground)
{
	for (unsigned x = 0; x < l->advance; x++) {
		unsigned dot = x / l->wide;

		to[x] = dot < DOTS && (dots & 0x80 >> dot) ? ink : ground;
	}
	return l->advance;
}

/* Draw one line of dots for as many letters as a strip holds; returns their number. */
static size_t put_dots(const struct raster *r, const struct letters *l, struct area at,
	const char *text, size_t n, unsigned y, const uint32_t colours[2])
{
	uint32_t strip[STRIP];
	unsigned used = 0;
	size_t i = 0;

	while (i < n && used + l->advance <= STRIP)
		used += dots_of(l, font_dots((unsigned char)text[i++], y), strip + used, colours[0],
			colours[1]);
	at.width = (int)used;
	put_strip(r, at, strip);
	return i;
}

void raster_text(const struct raster *r, const struct letters *l, struct area at, const char *text,
	size_t n, uint32_t ink, uint32_t ground)
{
	const uint32_t colours[2] = { pixel_of(r, ink), pixel_of(r, ground) };
	int above = (at.height - (int)(DOTS * l->high)) / 2, width = (int)(n * l->advance);
	int below = at.height - above - (int)(DOTS * l->high);

	if (!l->advance || l->advance > STRIP || !l->wide)
		return;
	raster_fill(r, (struct area){ at.x, at.y, width, above }, ground);
	raster_fill(r, (struct area){ at.x, at.y + at.height - below, width, below }, ground);
	for (unsigned y = 0; y < DOTS; y++) {
		struct area line = { at.x, at.y + above + (int)(y * l->high), 0, (int)l->high };

		for (size_t i = 0; i < n; line.x = at.x + (int)(i * l->advance))
			i += put_dots(r, l, line, text + i, n - i, y, colours);
	}
}
