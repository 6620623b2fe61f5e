/* SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "lib/sizes.h"
#include "lib/text.h"

void size_short(double bytes, char out[16])
{
	static const char units[] = { 'B', 'K', 'M', 'G', 'T' };
	unsigned unit = 0;

	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	bool round = bytes >= 100 || bytes == (double)(unsigned)bytes;

	text_format(out, 16, round ? "%.0f%c" : "%.1f%c", bytes, units[unit]);
}
