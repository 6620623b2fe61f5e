/* SPDX-License-Identifier: MIT */
/*
 * Which machines lie outside of their group, and whose medians differ among groups of one model:
 * docs/method.md, "Fleets".
 */
#include <math.h>
#include <stdlib.h>

#include "report/fleet/fleet_parts.h"
#include "lib/stats.h"
#include "report/compare/statistics.h"

static double fleet_scaled(const struct fleet_value *value, double number)
{
	return value->scale == FLEET_NOISE ? log1p(fmax(number, 0)) : number;
}

double fleet_unscaled(const struct fleet_value *value, double scaled)
{
	return value->scale == FLEET_NOISE ? expm1(fmax(scaled, 0)) : scaled;
}

double fleet_reach(const struct fleet *f, const struct fleet_column *c)
{
	const struct fleet_value *value = &f->values[c->value];
	double margin =
		value->scale == FLEET_NOISE ? log1p(f->margin) : f->margin * fabs(c->median);

	return fmax(c->limit * c->deviation, margin);
}

/* Groups of one model that differ in firmware or microcode: whose medians differ. */

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

static void fleet_compare_groups(struct fleet *f)
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

static int order_of(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

static int by_column_and_machine(const void *x, const void *y)
{
	const struct fleet_number *a = x, *b = y;
	int by = order_of(a->group, b->group);

	by = by ? by : order_of(a->value, b->value);
	by = by ? by : order_of(a->machine, b->machine);
	return by ? by : (a->number > b->number) - (a->number < b->number);
}

static bool same_place(const struct fleet_number *a, const struct fleet_number *b)
{
	return a->group == b->group && a->value == b->value && a->machine == b->machine;
}

/* Several runs of one machine become one number, their median. */
static void pool(struct fleet *f)
{
	size_t kept = 0;

	if (f->nnumbers)
		qsort(f->numbers, f->nnumbers, sizeof *f->numbers, by_column_and_machine);
	for (size_t i = 0, next; i < f->nnumbers; i = next) {
		struct fleet_number one = f->numbers[i];
		for (next = i; next < f->nnumbers && same_place(&one, &f->numbers[next]); next++)
			one.step = fmax(one.step, f->numbers[next].step);
		one.runs = next - i;
		one.number = (f->numbers[i + (one.runs - 1) / 2].number +
				     f->numbers[i + one.runs / 2].number) /
			2;
		f->numbers[kept++] = one;
	}
	f->nnumbers = kept;
}

/* The least deviation that is believed, on the scale. */
static double least(const struct fleet_value *value, double median)
{
	return value->scale == FLEET_NOISE ? FLEET_NOISE_LEAST
					   : FLEET_DEVIATION_LEAST * fabs(median);
}

/* Median and deviation of the column's numbers. */
static void measure_column(const struct fleet *f, struct fleet_column *c)
{
	const struct fleet_value *value = &f->values[c->value];
	const struct fleet_number *number = &f->numbers[c->from];
	double n = (double)c->machines, *scratch = new_array(2 * c->machines, sizeof *scratch);
	double *steps = scratch + c->machines;

	for (size_t i = 0; i < c->machines; i++) {
		scratch[i] = fleet_scaled(value, number[i].number);
		steps[i] = number[i].step;
	}
	c->median = stats_median(scratch, c->machines);
	for (size_t i = 0; i < c->machines; i++)
		scratch[i] = fabs(fleet_scaled(value, number[i].number) - c->median);
	/* What is written as a step may lie half of one away. */
	double mad = stats_median(scratch, c->machines) + stats_median(steps, c->machines) / 2;
	c->deviation = fmax(MAD_TO_SIGMA * mad * n / (n - FLEET_MAD_BIAS), least(value, c->median));
	free(scratch);
}

/* Whether the number is of the same value in the same group. */
static bool same_column(const struct fleet_number *a, const struct fleet_number *b)
{
	return a->group == b->group && a->value == b->value;
}

/* One column for each value of each judged group that enough of its machines have. */
static void make_columns(struct fleet *f)
{
	for (size_t i = 0, next; i < f->nnumbers; i = next) {
		const struct fleet_number *first = &f->numbers[i];
		struct fleet_column c = { .group = first->group, .value = first->value, .from = i };

		for (next = i; next < f->nnumbers && same_column(first, &f->numbers[next]); next++)
			c.machines++;
		if (!f->groups[c.group].judged)
			continue;
		if (c.machines >= FLEET_MACHINES_LEAST)
			measure_column(f, &c);
		/* Of a median of 0 nothing is the least deviation. */
		if (!(c.deviation > 0)) {
			f->alone += c.machines;
			continue;
		}
		f->tests += c.machines;
		*(struct fleet_column *)grow((void **)&f->columns, &f->ncolumns, sizeof c) = c;
	}
}

static void find_outliers(struct fleet *f, struct fleet_column *c, size_t column)
{
	const struct fleet_value *value = &f->values[c->value];

	c->limit = student_quantile(FLEET_FALSE_MOST / (2 * (double)f->tests),
		FLEET_MAD_DF * (double)c->machines);
	const double reach = fleet_reach(f, c);
	for (size_t i = c->from; i < c->from + c->machines; i++) {
		struct fleet_machine *machine = &f->machines[f->numbers[i].machine];
		double z = (fleet_scaled(value, f->numbers[i].number) - c->median) / c->deviation;

		if (!(fabs(z) * c->deviation > reach))
			continue;
		*(struct fleet_outlier *)grow((void **)&f->outliers, &f->noutliers,
			sizeof *f->outliers) = (struct fleet_outlier){ column, i, z };
		f->found += machine->worst == 0;
		machine->worst = fmax(machine->worst, fabs(z));
	}
}

static int by_machine(const void *x, const void *y, void *fleet)
{
	const struct fleet *f = fleet;
	const struct fleet_outlier *a = x, *b = y;
	size_t m = f->numbers[a->number].machine, n = f->numbers[b->number].machine;

	if (m != n && f->machines[m].worst != f->machines[n].worst)
		return f->machines[m].worst > f->machines[n].worst ? -1 : 1;
	if (m != n)
		return order_of(m, n);
	if (fabs(a->z) != fabs(b->z))
		return fabs(a->z) > fabs(b->z) ? -1 : 1;
	return order_of(a->number, b->number);
}

void fleet_judge(struct fleet *f, double margin)
{
	f->margin = margin;
	for (struct fleet_group *g = f->groups; g < f->groups + f->ngroups; g++)
		g->judged = g->machines >= FLEET_MACHINES_LEAST && !fleet_is_emulated(g);
	pool(f);
	make_columns(f);
	for (size_t i = 0; i < f->ncolumns; i++)
		find_outliers(f, &f->columns[i], i);
	if (f->noutliers)
		qsort_r(f->outliers, f->noutliers, sizeof *f->outliers, by_machine, f);
	fleet_compare_groups(f);
}
