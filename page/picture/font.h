/* SPDX-License-Identifier: MIT */
/* Our own font: 8 x 8 dots for ASCII 32..126, drawn for this project. */
#ifndef PICTURE_FONT_H
#define PICTURE_FONT_H

#include <stdint.h>

/* The dots of row y (0..7) of a character, leftmost in the highest bit; others show as a box. */
uint8_t font_dots(unsigned char c, unsigned y);

#endif
