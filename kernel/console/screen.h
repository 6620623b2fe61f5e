/* SPDX-License-Identifier: MIT */
/*
 * Text on a linear framebuffer. The characters shown are remembered, and only cells that change are
 * drawn: the framebuffer, which is slow to read, is never read.
 */
#ifndef KERNEL_CONSOLE_SCREEN_H
#define KERNEL_CONSOLE_SCREEN_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/machine.h"

#define GLYPH_WIDTH  8
#define GLYPH_HEIGHT 16

struct screen {
	struct framebuffer fb;
	unsigned scale; /* pixels per dot of the font */
	unsigned columns, rows;
	unsigned column, row;  /* where the next character goes */
	unsigned char *shown;  /* columns * rows characters as drawn */
	unsigned char *wanted; /* and as they should be */
};

/* Bytes that `shown` and `wanted` take together. */
size_t screen_memory(const struct framebuffer *);
/* Clears the screen. memory: screen_memory() bytes. No framebuffer: everything is ignored. */
void screen_open(struct screen *, const struct framebuffer *, void *memory);
/* Writes text; knows "\n" and "\r", wraps long lines, scrolls. */
void screen_write(struct screen *, const char *text, size_t n);

#endif
