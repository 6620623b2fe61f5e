/* SPDX-License-Identifier: MIT */
/*
 * The pictures of chart.h and matrix.h as pixels instead of SVG: the same curves over the same
 * axes, laid out for an area of any size, with letters of one width, light on dark. Banners are not
 * drawn.
 */
#ifndef PICTURE_PIXELS_H
#define PICTURE_PIXELS_H

#include "page/picture/chart.h"
#include "page/picture/matrix.h"
#include "page/picture/raster.h"

/* A place and its letters: a line of text is `line` pixels high. */
struct text_place {
	const struct raster *raster;
	struct area area;
	struct letters letters;
	unsigned line;
	bool brief; /* title and curves only: for a picture too small for numbers */
};

/* Colours of text and of the background. */
#define INK_STRONG 0xffffff
#define INK        0xd8d8d8
#define INK_FAINT  0x9a9da3
#define PAPER      0x000000
#define GRID       0x33363b

/* Write a text at x, y on a line of its own height; the part beyond `width` is left out. */
void pixels_text(const struct text_place *, int x, int y, int width, const char *text,
	uint32_t ink);

void chart_pixels(const struct text_place *, const struct chart *);
void matrix_pixels(const struct text_place *, const struct matrix *);

#endif
