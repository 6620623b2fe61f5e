/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/stats.h"
#include "report/sets.h"

/* In the C locale: ASCII, as JSON output needs. */
static char *printable(char *text)
{
	for (char *c = text; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return text;
}

char *file_group(const char *path)
{
	char *group = copy_text(path), *slash = strrchr(group, '/'),
	     *name = slash ? slash + 1 : group;
	char *dot = strrchr(name, '.');

	if (dot && dot != name)
		*dot = 0;
	size_t n = strlen(name), digits = n;
	while (digits && isdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits && digits < n && strchr("-_.", name[digits - 1]))
		digits--;
	else
		digits = n; /* "run2": the number belongs to the name */
	if (digits)
		name[digits] = 0;
	return printable(group);
}

const char *set_name(const struct set *set)
{
	const char *slash = strrchr(set->group, '/');

	return slash ? slash + 1 : set->group;
}

static struct set *set_for(struct sets *sets, size_t first, const char *group, const char *room)
{
	for (size_t i = first; i < sets->n; i++)
		if (!strcmp(sets->set[i].group, group) && !strcmp(sets->set[i].room, room))
			return &sets->set[i];
	struct set *set = grow((void **)&sets->set, &sets->n, sizeof *set);
	set->group = copy_text(group);
	set->room = room;
	set->index = json_object();
	return set;
}

void sets_add(struct sets *sets, const struct results *results, bool separate)
{
	char *group = separate ? printable(copy_text(results->name)) : file_group(results->name);
	size_t first = separate ? sets->n : 0;

	for (size_t i = 0; i < results->nruns; i++) {
		const struct run_data *run = &results->runs[i];
		struct set *set = set_for(sets, first, group, run->room);
		*(const struct run_data **)grow((void **)&set->runs, &set->nruns, sizeof run) = run;
	}
	free(group);
}

const struct pooled *set_find(const struct set *set, const char *identity)
{
	const json_t *at = json_object_get(set->index, identity);

	return at ? &set->rows[json_integer_value(at)] : NULL;
}

static struct pooled *pool_for(struct set *set, const struct row_data *row)
{
	struct pooled *pooled = (struct pooled *)set_find(set, row->identity);

	if (pooled)
		return pooled;
	json_object_set_new(set->index, row->identity, json_integer((json_int_t)set->nrows));
	pooled = grow((void **)&set->rows, &set->nrows, sizeof *pooled);
	pooled->row = row;
	pooled->min = pooled->p99 = NAN;
	return pooled;
}

/* Appends the samples that the row's median is over: all, or those that were not disturbed. */
static void pool_values(struct pooled *p, const struct row_data *row)
{
	const json_t *flags = json_object_get(row->json, KEY_FLAGS), *flag;
	bool *left_out = new_array(row->nvalues + 1, sizeof *left_out);
	size_t i;

	memset(left_out, 0, (row->nvalues + 1) * sizeof *left_out);
	if (row->undisturbed > 0)
		json_array_foreach(flags, i, flag) {
			double at = json_is_number(flag) ? json_number_value(flag) : -1;
			if (at >= 0 && at < (double)row->nvalues)
				left_out[(size_t)at] = true;
		}
	p->values = resize(p->values, (p->nvalues + row->nvalues + 1) * sizeof *p->values);
	for (i = 0; i < row->nvalues; i++)
		if (!left_out[i])
			p->values[p->nvalues++] = row->values[i];
	free(left_out);
}

static void pool_row(struct pooled *p, const struct row_data *row)
{
	pool_values(p, row);
	*(double *)grow((void **)&p->medians, &p->nmedians, sizeof *p->medians) = row->median;
	p->core_hz += row->core_hz;
	p->n += row->undisturbed > 0 ? row->undisturbed : row->samples;
	p->all += row->samples;
	p->disturbed += row->disturbed;
	p->min = fmin(p->min, row->min);
	p->p99 = fmax(p->p99, row->p99);
	p->mad = fmax(p->mad, isnan(row->mad) ? 0 : row->mad);
}

static void finish(struct pooled *p)
{
	p->median = stats_median(p->medians, p->nmedians);
	p->scatter = (p->medians[p->nmedians - 1] - p->medians[0]) / fabs(p->median);
	p->core_hz /= (double)p->nmedians;
	/* A thinned run among full ones: its median counts, its samples are not there. */
	samples_init(&p->samples, p->values, (double)p->nvalues < p->n ? 0 : p->nvalues);
	if (p->samples.n && p->nmedians > 1) {
		p->median = stats_quantile(p->samples.sorted, p->samples.n, 0.5);
		if (p->n == p->all) /* else the largest of the runs: a tail has all samples */
			p->p99 = stats_quantile(p->samples.sorted, p->samples.n, 0.99);
		p->mad = deviation_of(p->samples.sorted, p->samples.n);
	}
	free(p->values);
	p->values = NULL;
}

void sets_pool(struct sets *sets)
{
	for (struct set *s = sets->set; s < sets->set + sets->n; s++) {
		for (size_t i = 0; i < s->nruns; i++)
			for (size_t j = 0; j < s->runs[i]->nrows; j++) {
				const struct row_data *row = &s->runs[i]->rows[j];
				pool_row(pool_for(s, row), row);
			}
		for (size_t i = 0; i < s->nrows; i++)
			finish(&s->rows[i]);
	}
}

static void set_free(struct set *set)
{
	for (size_t i = 0; i < set->nrows; i++) {
		samples_free(&set->rows[i].samples);
		free(set->rows[i].medians);
	}
	free(set->rows);
	free(set->runs);
	free(set->group);
	json_decref(set->index);
}

void sets_free(struct sets *sets)
{
	for (size_t i = 0; i < sets->n; i++)
		set_free(&sets->set[i]);
	free(sets->set);
}
