/* SPDX-License-Identifier: MIT */
/*
 * screentext SCREEN.ppm: the text that a screendump of our own console shows, read by comparing
 * each cell with the font, one line a row. A cell that is no character of the font becomes '~'.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture/font.h"
#include "kernel/console/screen.h"

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

static bool matches(unsigned column, unsigned row, unsigned scale, unsigned char c)
{
	unsigned dot_height = GLYPH_HEIGHT / 8 * scale;

	for (unsigned y = 0; y < 8; y++)
		for (unsigned x = 0; x < 8; x++) {
			bool dot = font_dots(c, y) >> (7 - x) & 1;
			if (lit(column * 8 * scale + x * scale,
				    row * 8 * dot_height + y * dot_height) != dot)
				return false;
		}
	return true;
}

static char read_cell(unsigned column, unsigned row, unsigned scale)
{
	for (unsigned char c = ' '; c <= '~'; c++)
		if (matches(column, row, scale, c))
			return (char)c;
	return '~';
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: screentext SCREEN.ppm");
	load(argv[1]);
	unsigned scale = width >= 2560 ? 2 : 1;
	unsigned columns = width / (GLYPH_WIDTH * scale), rows = height / (GLYPH_HEIGHT * scale);
	for (unsigned row = 0; row < rows; row++) {
		for (unsigned column = 0; column < columns; column++)
			putchar(read_cell(column, row, scale));
		putchar('\n');
	}
	return 0;
}
