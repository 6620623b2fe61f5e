/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/compare/sets.h"
#include "lib/result_keys.h"
#include "lib/stats.h"
#include "linux/report/compare/statistics.h"
#include "linux/report/reading/results.h"

/* Replace unprintable characters, in the C locale: ASCII, as JSON output needs. */
static char *printable(char *text)
{
	for (char *c = text; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return text;
}

/* The group of a file: "a/quiet-2.ndjson" -> "a/quiet"; the caller frees it. */
static char *file_group(const char *path)
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

bool is_emulated(const struct set *set)
{
	return json_is_true(json_object_get(set->runs[0]->head, KEY_EMULATED));
}

bool is_simulated(const struct set *set)
{
	return json_is_object(json_object_get(set->runs[0]->head, KEY_KNOWN_ANSWER));
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

bool same_run(const struct run_data *a, const struct run_data *b)
{
	return a->end && b->end && json_equal(a->end, b->end);
}

static void set_add_run(struct set *set, const struct run_data *run)
{
	for (size_t i = 0; i < set->nruns; i++)
		if (same_run(set->runs[i], run)) {
			set->copies++;
			return;
		}
	*(const struct run_data **)grow((void **)&set->runs, &set->nruns, sizeof run) = run;
}

void sets_add(struct sets *sets, const struct results *results, bool separate)
{
	char *group = separate ? printable(copy_text(results->name)) : file_group(results->name);
	size_t first = separate ? sets->n : 0;

	for (size_t i = 0; i < results->nruns; i++) {
		const struct run_data *run = &results->runs[i];
		set_add_run(set_for(sets, first, group, run->room), run);
	}
	free(group);
}

struct sets sets_group(const struct results *files, size_t n)
{
	struct sets sets = { 0 };

	for (size_t i = 0; i < n; i++)
		sets_add(&sets, &files[i], false);
	if (sets.n > 1 || n < 2)
		return sets;
	sets_free(&sets);
	sets = (struct sets){ 0 };
	for (size_t i = 0; i < n; i++)
		sets_add(&sets, &files[i], true);
	return sets;
}

const struct pooled *set_find(const struct set *set, const char *identity)
{
	const json_t *at = json_object_get(set->index, identity);

	return at ? &set->rows[json_integer_value(at)] : NULL;
}

static struct pooled *pool_for(struct set *set, const struct row_data *row)
{
	struct pooled *pooled = (struct pooled *)set_find(set, row->identity);

	/* A point of a curve may be as large as the row of a level: then it stands for both. */
	if (pooled && !*pooled->row->level && *row->level)
		pooled->row = row;
	if (pooled)
		return pooled;
	json_object_set_new(set->index, row->identity, json_integer((json_int_t)set->nrows));
	pooled = grow((void **)&set->rows, &set->nrows, sizeof *pooled);
	pooled->row = row;
	return pooled;
}

/* Copy the samples that the row's median is computed from: all, or only undisturbed ones. */
static size_t undisturbed_values(const struct row_data *row, double *out)
{
	const json_t *flags = json_object_get(row->json, KEY_FLAGS), *flag;
	bool *left_out = new_array(row->nvalues + 1, sizeof *left_out);
	size_t i, n = 0;

	memset(left_out, 0, (row->nvalues + 1) * sizeof *left_out);
	if (row->undisturbed > 0)
		json_array_foreach(flags, i, flag) {
			double at = json_is_number(flag) ? json_number_value(flag) : -1;
			if (at >= 0 && at < (double)row->nvalues)
				left_out[(size_t)at] = true;
		}
	for (i = 0; i < row->nvalues; i++)
		if (!left_out[i])
			out[n++] = row->values[i];
	free(left_out);
	return n;
}

static struct run_value run_value_of(const struct row_data *row)
{
	double *values = new_array(row->nvalues + 1, sizeof *values);
	size_t have = undisturbed_values(row, values);
	struct run_value v = {
		.median = row->median,
		.tail = row->min > 0 ? row->p99 / row->min : NAN,
		.spread = row->mad > 0 ? MAD_TO_SIGMA * row->mad / row->median : 0,
		.n = row->undisturbed > 0 ? row->undisturbed : row->samples,
		.core_hz = row->core_hz,
	};

	v.error = have && (double)have >= v.n
		? median_error(values, have)
		: median_error_by_mad(isnan(row->mad) ? 0 : row->mad, v.n);
	free(values);
	return v;
}

/* Combine two measurements of the row in one run, weighted by their samples. */
static struct run_value together(struct run_value a, struct run_value b)
{
	double part = a.n + b.n > 0 ? a.n / (a.n + b.n) : 0.5;

	return (struct run_value){
		.median = part * a.median + (1 - part) * b.median,
		.tail = isnan(a.tail) ? b.tail : fmax(a.tail, b.tail),
		.error = hypot(part * a.error, (1 - part) * b.error),
		.spread = fmax(a.spread, b.spread),
		.n = a.n + b.n,
		.core_hz = part * a.core_hz + (1 - part) * b.core_hz,
	};
}

/* Add a row to the pool. again: the last run has the row already. */
static void pool_row(struct pooled *p, const struct row_data *row, bool again)
{
	struct run_value v = run_value_of(row);

	if (again)
		p->runs[p->nruns - 1] = together(p->runs[p->nruns - 1], v);
	else
		*(struct run_value *)grow((void **)&p->runs, &p->nruns, sizeof v) = v;
	p->disturbed += row->disturbed;
	p->samples += row->samples;
}

/* The median of the known tails; NAN if none is known. */
static double median_tail(const struct pooled *p, double *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nruns; i++)
		if (!isnan(p->runs[i].tail))
			scratch[n++] = p->runs[i].tail;
	return n ? stats_median(scratch, n) : NAN;
}

static void pooled_finish(struct pooled *p)
{
	double *scratch = new_array(p->nruns, sizeof *scratch), sum = 0, logs = 0;

	for (size_t i = 0; i < p->nruns; i++) {
		sum += p->runs[i].median;
		p->core_hz += p->runs[i].core_hz / (double)p->nruns;
		logs += p->runs[i].median > 0 ? log(p->runs[i].median) : NAN;
	}
	p->median = p->nruns == 1 || isnan(logs) ? sum / (double)p->nruns
						 : exp(logs / (double)p->nruns);
	p->tail = median_tail(p, scratch);
	free(scratch);
}

static void pool_run(struct set *set, const struct run_data *run)
{
	json_t *seen = json_object();

	for (size_t i = 0; i < run->nrows; i++) {
		const struct row_data *row = &run->rows[i];
		bool again = json_object_get(seen, row->identity);
		pool_row(pool_for(set, row), row, again);
		json_object_set_new(seen, row->identity, json_true());
	}
	json_decref(seen);
}

void sets_pool(struct sets *sets)
{
	for (struct set *s = sets->set; s < sets->set + sets->n; s++) {
		for (size_t i = 0; i < s->nruns; i++)
			pool_run(s, s->runs[i]);
		for (size_t i = 0; i < s->nrows; i++)
			pooled_finish(&s->rows[i]);
	}
}

static void set_free(struct set *set)
{
	for (size_t i = 0; i < set->nrows; i++)
		free(set->rows[i].runs);
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

/* The core clock of a set, and the rows that it paces. */

/* Probes whose rows are all paced by the core, and probes whose rows are if they fit into L2. */
static const char always[] = "branch,ilp,tlb,ways";
static const char by_size[] = "latency,mlp,bandwidth,random,shuffle";

bool clocks_differ(const struct set_clock *a, const struct set_clock *b)
{
	return fabs(a->median - b->median) > CLOCKS_ALIKE * fmin(a->median, b->median);
}

/* The size up to which a buffer fits into L2, as measured; 0: unknown. */
static double within_l2(const struct run_data *run)
{
	const json_t *l2 = run_summary(run, "l2_bytes");

	return number_or(l2, KEY_LOW, number_or(l2, KEY_VALUE, 0));
}

/*
 * Returns true if the core's clock alone paces the row, so that it takes the same number of core
 * cycles at any clock: a row at L1 or L2, or of a buffer that fits into the L2 that the run
 * measured; branches and instructions, address translation, associativity. Beyond L2 the caches and
 * the memory have clocks of their own.
 */
static bool core_paced(const struct set *set, const struct pooled *p)
{
	if (names_have(always, p->row->probe))
		return true;
	if (!names_have(by_size, p->row->probe))
		return false;
	if (*p->row->level)
		return !strcmp(p->row->level, "l1") || !strcmp(p->row->level, "l2");
	return row_parameter(p->row->json, "bytes") <= within_l2(set->runs[0]);
}

void cycle_unit(const char *unit, char out[24])
{
	*out = 0;
	if (!strcmp(unit, "GB/s"))
		strcpy(out, "B/cy");
	else if (!strncmp(unit, "ns", 2) && unit_better(unit) == BETTER_LOW)
		snprintf(out, 24, "cy%s", unit + 2);
}

double in_cycles(const char *unit, double value, double hz)
{
	return strcmp(unit, "GB/s") ? value * hz / 1e9 : value * 1e9 / hz;
}

bool both_core_paced(const struct set *of_a, const struct pooled *a, const struct set *of_b,
	const struct pooled *b)
{
	char in_unit[24];

	cycle_unit(a->row->unit, in_unit);
	return *in_unit && a->core_hz > 0 && b->core_hz > 0 && core_paced(of_a, a) &&
		core_paced(of_b, b);
}
