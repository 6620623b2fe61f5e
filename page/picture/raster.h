/* SPDX-License-Identifier: MIT */
/*
 * Drawing of pixels: filled rectangles, lines and text, each clipped to the raster. Pixels are
 * never read back. Freestanding. Coordinates are in pixels from the left upper corner; a colour is
 * 0xRRGGBB.
 */
#ifndef PICTURE_RASTER_H
#define PICTURE_RASTER_H

#include <stddef.h>
#include <stdint.h>

struct area {
	int x, y, width, height; /* the area is empty if width or height is below 1 */
};

/* Memory for pixels of 32 bits, with the masks `red`, `green` and `blue`. */
struct raster {
	unsigned width, height;
	volatile uint32_t *pixels;
	unsigned pitch; /* pixels from one line to the next */
	uint32_t red, green, blue;
};

/* Letters of the font (page/picture/font.h): 8 lines of dots. */
struct letters {
	unsigned wide, high; /* pixels of a dot */
	unsigned advance;    /* pixels from one letter to the next: 6 or more dots, at most 256 */
};

void raster_fill(const struct raster *, struct area, uint32_t colour);
/*
 * Draw a line from point to point, both ends included; `thick` pixels (1: one) in each direction.
 */
void raster_line(const struct raster *, double x0, double y0, double x1, double y1, unsigned thick,
	uint32_t colour);
/*
 * Draw n characters, the left upper corner of the first at x, y of the area: dots in `ink`, the
 * rest of the cells, which are as high as the area, in `ground`. The area's width is ignored.
 */
void raster_text(const struct raster *, const struct letters *, struct area, const char *text,
	size_t n, uint32_t ink, uint32_t ground);

#endif
