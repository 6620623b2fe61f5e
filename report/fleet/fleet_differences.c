/* SPDX-License-Identifier: MIT */
/* Groups of one model that differ in firmware or microcode: whose medians differ. */
#include <math.h>
#include <stdlib.h>

#include "lib/stats.h"
#include "report/fleet/fleet_parts.h"
#include "report/compare/samples.h"
#include "report/compare/student.h"

static bool larger(const struct fleet_group *a, const struct fleet_group *b)
{
	return a->judged && a->machines > b->machines;
}

/* Of each group: the one of its model with most machines, the first of these; to be freed. */
static size_t *largest_of_model(const struct fleet *f)
{
	size_t *largest = new_array(f->ngroups, sizeof *largest);

	for (size_t g = 0; g < f->ngroups; g++) {
		size_t first = 0;
		while (!fleet_one_model(&f->groups[first], &f->groups[g]))
			first++;
		if (first == g || larger(&f->groups[g], &f->groups[largest[first]]))
			largest[first] = g;
	}
	for (size_t g = 0; g < f->ngroups; g++) {
		size_t first = 0;
		while (!fleet_one_model(&f->groups[first], &f->groups[g]))
			first++;
		largest[g] = largest[first];
	}
	return largest;
}

static int by_place(const void *x, const void *y)
{
	const struct fleet_column *a = x, *b = y;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

/* The column of that value in the group; NULL: it has none. */
static const struct fleet_column *column_of(const struct fleet *f, size_t group, size_t value)
{
	const struct fleet_column key = { .group = group, .value = value };

	return bsearch(&key, f->columns, f->ncolumns, sizeof key, by_place);
}

static double squared_error(const struct fleet_column *c)
{
	double error = median_error_by_mad(c->deviation / MAD_TO_SIGMA, (double)c->machines);

	return error * error;
}

static struct fleet_difference difference(const struct fleet *f, size_t of, size_t with)
{
	const struct fleet_column *a = &f->columns[with], *b = &f->columns[of];
	const struct fleet_value *value = &f->values[a->value];
	double from = fleet_unscaled(value, a->median), to = fleet_unscaled(value, b->median);

	return (struct fleet_difference){ .column = { with, of },
		.part = from != 0 ? to / from - 1 : NAN,
		.z = (b->median - a->median) / sqrt(squared_error(a) + squared_error(b)) };
}

/* Welch's degrees of freedom of the two medians' difference. */
static double degrees(const struct fleet_column *a, const struct fleet_column *b)
{
	double x = squared_error(a), y = squared_error(b);

	return (x + y) * (x + y) /
		(x * x / (FLEET_MAD_DF * (double)a->machines) +
			y * y / (FLEET_MAD_DF * (double)b->machines));
}

static bool is_told(const struct fleet *f, const struct fleet_difference *d, size_t tests)
{
	double limit = student_quantile(FLEET_FALSE_MOST / (2 * (double)tests),
		degrees(&f->columns[d->column[0]], &f->columns[d->column[1]]));

	return fabs(d->z) > limit && !(fabs(d->part) <= f->margin);
}

static double size_of(const struct fleet_difference *d)
{
	return isnan(d->part) ? INFINITY : fabs(d->part);
}

/* By group, the largest first: a group's columns are neighbours. */
static int by_size(const void *x, const void *y, void *fleet)
{
	const struct fleet *f = fleet;
	const struct fleet_difference *a = x, *b = y;
	size_t g = f->columns[a->column[1]].group, h = f->columns[b->column[1]].group;

	if (g != h)
		return g < h ? -1 : 1;
	if (size_of(a) != size_of(b))
		return size_of(a) > size_of(b) ? -1 : 1;
	return a->column[1] < b->column[1] ? -1 : a->column[1] > b->column[1];
}

void fleet_compare_groups(struct fleet *f)
{
	size_t tests = 0, kept = 0, *largest = largest_of_model(f);

	for (size_t i = 0; i < f->ncolumns; i++) {
		const struct fleet_column *this = &f->columns[i];
		const struct fleet_column *with = column_of(f, largest[this->group], this->value);
		if (!with || with == this)
			continue;
		*(struct fleet_difference *)grow((void **)&f->differences, &tests,
			sizeof *f->differences) = difference(f, i, (size_t)(with - f->columns));
	}
	free(largest);
	for (size_t i = 0; i < tests; i++)
		if (is_told(f, &f->differences[i], tests))
			f->differences[kept++] = f->differences[i];
	f->ndifferences = kept;
	if (kept)
		qsort_r(f->differences, kept, sizeof *f->differences, by_size, f);
}
