/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "report/compare/units.h"

static bool starts(const char *text, const char *with)
{
	size_t n = strlen(with);

	return !strncmp(text, with, n) && (!text[n] || text[n] == '/');
}

enum better unit_better(const char *unit)
{
	static const char *const times[] = { "ns", "us", "ms", "s", "ticks", "cycles" };
	static const char *const rates[] = { "B/s", "MB/s", "GB/s", "B/cycle", "B/tick" };

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (starts(unit, times[i]))
			return BETTER_LOW;
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
		if (!strcmp(unit, rates[i]))
			return BETTER_HIGH;
	return BETTER_NEITHER;
}

double slowdown(const char *unit, double a, double b)
{
	enum better better = unit_better(unit);

	if (better == BETTER_NEITHER || !(a > 0) || !(b > 0))
		return NAN;
	return better == BETTER_LOW ? b / a : a / b;
}
