/* SPDX-License-Identifier: MIT */
#include "lib/size_text.h"

#include <stdbool.h>

#include "lib/text.h"

/* A file may hold numbers that no long does. */
static bool whole(double value)
{
	return value > -1e15 && value < 1e15 && value == (double)(long)value;
}

void size_text(double bytes, char out[SIZE_TEXT])
{
	static const char units[] = { 'B', 'K', 'M', 'G', 'T' };
	unsigned unit = 0;

	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	bool round = bytes >= 100 || whole(bytes);

	if (unit && !whole(10 * bytes) && bytes * 1024 < 10000 && whole(1024 * bytes)) {
		text_format(out, SIZE_TEXT, "%.0f%c", 1024 * bytes, units[unit - 1]);
		return;
	}

	text_format(out, SIZE_TEXT, round ? "%.0f%c" : "%.1f%c", bytes, units[unit]);
}
