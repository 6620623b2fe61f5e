/* SPDX-License-Identifier: MIT */
/* Which rows a picture is about. */
#include "report/pictures.h"

#include <math.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/row_identity.h"

double row_number(const struct row_data *row, const char *name)
{
	double value = row_parameter(row->json, name);

	if (!isnan(value))
		return value;
	if (!strncmp(name, "more.", 5))
		return number_of(json_object_get(row->json, KEY_MORE), name + 5);
	return number_of(row->json, name);
}

/* Measured again at an edge, or without prefetchers: another curve. */
static bool is_repeated(const struct row_data *row)
{
	return row_parameter(row->json, "again") > 0 || row_parameter(row->json, "prefetch") == 0;
}

static bool is_of(const struct picture *picture, const struct row_data *row)
{
	return !strcmp(row->probe, picture->probe) &&
		(!*picture->variants || listed(picture->variants, row->variant));
}

/* The largest value of the parameter that a row of the picture's in the run has. */
static double largest(const struct picture *picture, const struct run_data *run, const char *name)
{
	double most = NAN;

	for (size_t i = 0; i < run->nrows; i++)
		if (is_of(picture, &run->rows[i]))
			most = fmax(most, row_parameter(run->rows[i].json, name));
	return most;
}

static bool is_largest(const struct picture *picture, const struct run_data *run,
	const struct row_data *row, const char *name)
{
	double value = row_parameter(row->json, name);

	return isnan(value) || value == largest(picture, run, name);
}

bool picture_takes(const struct picture *picture, const struct run_data *run,
	const struct row_data *row)
{
	unsigned only = picture->only;

	if (!is_of(picture, row) || is_repeated(row))
		return false;
	if (isnan(row_number(row, picture->x)) || isnan(row_number(row, picture->y)))
		return false;
	if ((only & ONLY_MEMORY && strcmp(row->level, "memory")) ||
		(only & ONLY_LEVELS && !*row->level) || (only & ONLY_SWEEP && *row->level))
		return false;
	if (only & ONLY_WIDEST && !is_largest(picture, run, row, "width_bits"))
		return false;
	return !(only & ONLY_LARGEST_PAGES) || is_largest(picture, run, row, KEY_PAGE_BYTES);
}
