/* SPDX-License-Identifier: MIT */
#include "picture/pixels.h"

#include <string.h>

uint32_t pixels_colour(unsigned colour)
{
	static const uint32_t colours[COLOURS] = { 0x56b4e9, 0xd55e00, 0x009e73, 0xcc79a7, 0xdddddd,
		0xe69f00, 0x3d8fc0, 0xf0e442 };

	return colours[colour % COLOURS];
}

uint32_t pixels_mix(uint32_t over, uint32_t under, double part)
{
	uint32_t mixed = 0;

	for (unsigned shift = 0; shift < 24; shift += 8) {
		double a = over >> shift & 255, b = under >> shift & 255;

		mixed |= (uint32_t)(a * part + b * (1 - part)) << shift;
	}
	return mixed;
}

int pixels_width(const struct place *place, size_t n)
{
	return (int)(n * place->letters.advance);
}

void pixels_text(const struct place *place, int x, int y, int width, const char *text, uint32_t ink)
{
	size_t n = strlen(text), most = width > 0 ? (size_t)width / place->letters.advance : 0;

	raster_text(place->raster, &place->letters, (struct area){ x, y, width, (int)place->line },
		text, n < most ? n : most, ink, PAPER);
}
