/* SPDX-License-Identifier: MIT */
/* Which rows a picture is about. */
#include "page/pictures.h"

#include <string.h>

#include "lib/math.h"
#include "lib/text.h"
#include "lib/result_keys.h"

/* Measured again at an edge, or without prefetchers: another curve. */
static bool is_repeated(const struct shown_row *row)
{
	return shown_parameter(row, "again") > 0 || shown_parameter(row, "prefetch") == 0;
}

static bool is_of(const struct picture *picture, const struct shown_row *row)
{
	return !strcmp(row->probe, picture->probe) &&
		(!*picture->variants || names_have(picture->variants, row->variant));
}

/* The largest value of the parameter that a row of the picture's in the run has. */
static double largest(const struct picture *picture, const struct shown_run *run, const char *name)
{
	double most = NOT_A_NUMBER;

	for (size_t i = 0; i < run->nrows; i++) {
		double value = shown_parameter(&run->rows[i], name);
		if (is_of(picture, &run->rows[i]) && !(value <= most) && math_finite(value))
			most = value;
	}
	return most;
}

static bool is_largest(const struct picture *picture, const struct shown_run *run,
	const struct shown_row *row, const char *name)
{
	double value = shown_parameter(row, name);

	return math_is_nan(value) || value == largest(picture, run, name);
}

bool picture_takes(const struct picture *picture, const struct shown_run *run,
	const struct shown_row *row)
{
	unsigned only = picture->only;

	if (!is_of(picture, row) || is_repeated(row))
		return false;
	if (math_is_nan(shown_number(row, picture->x)) ||
		math_is_nan(shown_number(row, picture->y)))
		return false;
	if ((only & ONLY_MEMORY && strcmp(row->level, "memory")) ||
		(only & ONLY_LEVELS && !*row->level) || (only & ONLY_SWEEP && *row->level))
		return false;
	if (only & ONLY_WIDEST && !is_largest(picture, run, row, "width_bits"))
		return false;
	return !(only & ONLY_LARGEST_PAGES) || is_largest(picture, run, row, KEY_PAGE_BYTES);
}
