/* SPDX-License-Identifier: MIT */
/*
 * Text on a display, all of it or its last rows. The characters shown are remembered, and only
 * cells that change are drawn: the framebuffer, which is slow to read, is never read.
 */
#ifndef KERNEL_CONSOLE_SCREEN_H
#define KERNEL_CONSOLE_SCREEN_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/machine.h"
#include "picture/raster.h"

#define GLYPH_WIDTH  8
#define GLYPH_HEIGHT 16

struct screen {
	struct raster raster; /* pixels that may be written */
	unsigned scale;       /* pixels per dot of the font */
	unsigned columns, rows;
	unsigned first;        /* row of text: those before it are somebody else's */
	unsigned column, row;  /* where the next character goes */
	unsigned char *shown;  /* columns * rows characters as drawn */
	unsigned char *wanted; /* and as they should be */
};

/* The display above the text. */
struct canvas {
	struct raster raster;
	unsigned scale;    /* pixels per dot of the text below */
	int width, height; /* pixels */
};

/* Bytes that `shown` and `wanted` take together. */
size_t screen_memory(const struct framebuffer *);
/* Clears the display. memory: screen_memory() bytes. No pixels: everything is ignored. */
void screen_open(struct screen *, const struct framebuffer *, void *memory);
/*
 * From now on only the last `rows` rows show text: the last lines so far. More rows than before:
 * their text is on top, and the others are empty. The display above them is left as it is.
 */
void screen_keep_rows(struct screen *, unsigned rows);
/* The part above, empty. */
struct canvas screen_canvas(const struct screen *);
/* Writes text; knows "\n" and "\r", wraps long lines, scrolls. */
void screen_write(struct screen *, const char *text, size_t n);

#endif
