/* SPDX-License-Identifier: MIT */
/*
 * screentext SCREEN.ppm [LEFT TOP WIDE HIGH ADVANCE LINE]: the text that a screendump of our own
 * console shows, read by comparing each cell with the font, one line a row. A cell that is no
 * character of the font becomes '~'. The numbers: where the first cell begins, the pixels of a dot,
 * and those from one letter and one line to the next, for text that is not the console's.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "page/picture/font.h"
#include "kernel/console/console.h"

static unsigned width, height;
static unsigned char *pixels; /* red, green, blue */

static void die(const char *what)
{
	fprintf(stderr, "screentext: %s\n", what);
	exit(1);
}

static void load(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f || fscanf(f, "P6 %u %u 255", &width, &height) != 2 || fgetc(f) == EOF)
		die("not a P6 file");
	size_t bytes = 3UL * width * height;
	pixels = malloc(bytes);
	if (!pixels || fread(pixels, 1, bytes, f) != bytes)
		die("cut short");
	fclose(f);
}

static bool lit(unsigned x, unsigned y)
{
	const unsigned char *p = pixels + 3UL * (y * width + x);

	return p[0] + p[1] + p[2] > 384;
}

/* The cells of a text, in pixels. */
static unsigned left, top, wide, high, advance, line;

static bool matches(unsigned x0, unsigned y0, unsigned char c)
{
	for (unsigned y = 0; y < 8; y++)
		for (unsigned x = 0; x < 8 && x * wide < advance; x++) {
			bool dot = font_dots(c, y) >> (7 - x) & 1;
			if (lit(x0 + x * wide, y0 + y * high) != dot)
				return false;
		}
	return true;
}

static char read_cell(unsigned x, unsigned y)
{
	for (unsigned char c = ' '; c <= '~'; c++)
		if (matches(x, y, c))
			return (char)c;
	return '~';
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 8)
		die("usage: screentext SCREEN.ppm [LEFT TOP WIDE HIGH ADVANCE LINE]");
	load(argv[1]);
	wide = width >= 2560 ? 2 : 1;
	high = GLYPH_HEIGHT / 8 * wide;
	advance = GLYPH_WIDTH * wide;
	line = GLYPH_HEIGHT * wide;
	unsigned *const numbers[] = { &left, &top, &wide, &high, &advance, &line };
	for (int i = 2; i < argc; i++)
		*numbers[i - 2] = (unsigned)atoi(argv[i]);
	if (!wide || !high || !advance || !line)
		die("a letter must have pixels");
	for (unsigned y = top; y + 8 * high <= height; y += line) {
		for (unsigned x = left; x + 8 * wide <= width; x += advance)
			putchar(read_cell(x, y));
		putchar('\n');
	}
	return 0;
}
