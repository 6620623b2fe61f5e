/* SPDX-License-Identifier: MIT */
/*
 * The data kept of the results of a fleet: the machine of each, the keys that it must share with
 * others to be judged by them, and its values.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/fleet/fleet.h"
#include "lib/machine_id.h"
#include "lib/result_keys.h"
#include "lib/stats.h"
#include "linux/report/compare/statistics.h"

#define STAMP      "ddddddddTddddddZ" /* 20260101T120000Z; d: a digit */
#define OWN_PREFIX "anechoic-"        /* begins names that `run` chooses */

static const char *const rooms[] = {
#define ROOM(name) #name,
#include "lib/rooms.inc"
#undef ROOM
};

static bool is_stamp(const char *text)
{
	for (const char *s = STAMP; *s; s++, text++)
		if (*s == 'd' ? !isdigit((unsigned char)*text) : *text != *s)
			return false;
	return true;
}

/* Remove the time from a name, with the hyphen beside it; returns true if there was one. */
static bool drop_stamp(char *name)
{
	for (char *at = name; *at; at++) {
		if (!is_stamp(at))
			continue;
		char *end = at + strlen(STAMP);
		if (*end == '-')
			end++;
		else if (at > name && at[-1] == '-')
			at--;
		memmove(at, end, strlen(end) + 1);
		return true;
	}
	return false;
}

static void drop_room(char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
		size_t space = strlen(rooms[i]);
		if (n < space || strcmp(name + n - space, rooms[i]))
			continue;
		if (n == space)
			*name = 0;
		else if (name[n - space - 1] == '-')
			name[n - space - 1] = 0;
		return;
	}
}

/* Replace other characters than ASCII's, the only ones for a terminal and for JSON. */
static char *ascii(char *text)
{
	for (char *c = text; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return text;
}

char *machine_of_file(const char *path, bool below)
{
	char *whole = ascii(copy_text(path)), *slash = strrchr(whole, '/');
	char *dot = strrchr(slash ? slash : whole, '.');

	if (dot && dot > (slash ? slash + 1 : whole))
		*dot = 0;
	char *name = copy_text(whole), *last = slash ? name + (slash + 1 - whole) : name;
	bool dated = drop_stamp(last);

	if (dated && !strncmp(last, OWN_PREFIX, strlen(OWN_PREFIX)) && last[strlen(OWN_PREFIX)]) {
		char *host = copy_text(last + strlen(OWN_PREFIX));
		free(name);
		free(whole);
		return host;
	}
	drop_room(last);
	if (!*last && below && last > name)
		last[-1] = 0;
	else if (!*last)
		strcpy(name, whole);
	free(whole);
	return name;
}

static const char *known(const char *text)
{
	return strcmp(text, "unknown") ? text : "";
}

static char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *format_text(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = copy_text("");
	va_end(args);
	return text;
}

static char *cpu_text(const json_t *cpu)
{
	const char *brand = text_of(cpu, KEY_BRAND);
	double family = number_of(cpu, "family"), stepping = number_of(cpu, "stepping");

	if (isnan(family))
		return copy_text(brand);
	return format_text("%s (family %.0f, model %.0f, stepping %.0f)",
		*brand ? brand : text_of(cpu, "vendor"), family, number_of(cpu, "model"),
		isnan(stepping) ? 0 : stepping);
}

static char *settings_text(const json_t *head)
{
	const json_t *prefetch = json_object_get(head, "prefetch");
	const json_t *clock = json_object_get(head, "clock");
	const char *asked = text_of(clock, "asked");
	char plan[PLAN_TEXT];
	bool off = !strcmp(text_of(prefetch, "asked"), "off") &&
		json_is_true(json_object_get(prefetch, "works"));
	bool set = *asked && strcmp(asked, "free") && json_is_true(json_object_get(clock, "set"));

	run_plan_text(head, plan);
	return format_text("%s%s%s%s", plan, off ? ", prefetchers off" : "", set ? ", clock " : "",
		set ? asked : "");
}

static char *firmware_text(const json_t *firmware)
{
	double revision = number_of(firmware, "revision");

	if (isnan(revision))
		return copy_text(text_of(firmware, "revision"));
	return format_text("%s %#llx", text_of(firmware, "vendor"),
		revision >= 0 && revision < 1e18 ? (unsigned long long)revision : 0);
}

static char *microcode_text(const json_t *cpu)
{
	double microcode = number_of(cpu, "microcode");

	if (!(microcode > 0 && microcode < 1e18))
		return copy_text("");
	return format_text("%#llx", (unsigned long long)microcode);
}

static void fleet_keys(const json_t *head, char *key[FLEET_KEYS])
{
	const json_t *cpu = json_object_get(head, KEY_CPU);
	bool simulated = json_is_object(json_object_get(head, KEY_KNOWN_ANSWER));
	bool emulated = json_is_true(json_object_get(head, KEY_EMULATED));
	const char *may_be = text_of(head, KEY_MAY_BE);

	key[FLEET_KEY_room] = copy_text(text_of(head, KEY_ROOM));
	key[FLEET_KEY_timing] = simulated || emulated || !*may_be
		? copy_text(simulated        ? "SIMULATED"
				  : emulated ? "EMULATED"
					     : "")
		: format_text("MAY BE %s", may_be);
	key[FLEET_KEY_cpu] = cpu_text(cpu);
	key[FLEET_KEY_hypervisor] = copy_text(text_of(head, KEY_HYPERVISOR));
	key[FLEET_KEY_board] =
		copy_text(known(text_of(json_object_get(head, KEY_OS), KEY_MACHINE)));
	key[FLEET_KEY_settings] = settings_text(head);
	key[FLEET_KEY_microcode] = microcode_text(cpu);
	key[FLEET_KEY_firmware] = firmware_text(json_object_get(head, "firmware"));
}

enum { MODEL, REVISION };

static const int kinds[FLEET_KEYS] = {
#define FLEET_KEY(name, words, kind) kind,
#include "linux/report/fleet/fleet_keys.inc"
#undef FLEET_KEY
};

/* Returns true if the groups differ in a revision only. */
static bool fleet_one_model(const struct fleet_group *a, const struct fleet_group *b)
{
	for (int k = 0; k < FLEET_KEYS; k++)
		if (kinds[k] == MODEL && strcmp(a->key[k], b->key[k]))
			return false;
	return true;
}

void fleet_open(struct fleet *f)
{
	*f = (struct fleet){ .at = json_object(), .builds = json_object() };
}

/* Find the place of a name. Returns false if it is new, and gets place n. */
static bool placed(struct fleet *f, const char *kind, const char *name, size_t n, size_t *place)
{
	char *key;
	size_t bytes;
	FILE *out = text_stream(&key, &bytes);

	fprintf(out, "%s %s", kind, name);
	fclose(out);
	const json_t *at = json_object_get(f->at, key);
	*place = at ? (size_t)json_integer_value(at) : n;
	if (!at)
		json_object_set_new(f->at, key, json_integer((json_int_t)n));
	free(key);
	return at;
}

static size_t machine_for(struct fleet *f, const char *name, const char *host)
{
	size_t place;

	if (placed(f, "machine", *host ? host : name, f->nmachines, &place))
		return place;
	struct fleet_machine *machine = grow((void **)&f->machines, &f->nmachines, sizeof *machine);
	machine->name = copy_text(name);
	machine->host = copy_text(host);
	return place;
}

static char *joined(char *key[FLEET_KEYS])
{
	size_t bytes;
	char *text;
	FILE *out = text_stream(&text, &bytes);

	for (int k = 0; k < FLEET_KEYS; k++)
		fprintf(out, "%s\n", key[k]);
	fclose(out);
	return text;
}

/* The place of the group with these keys; takes ownership of the keys. */
static size_t group_for(struct fleet *f, char *key[FLEET_KEYS])
{
	char *all = joined(key);
	size_t place;
	bool there = placed(f, "group", all, f->ngroups, &place);

	free(all);
	if (!there)
		memcpy(((struct fleet_group *)grow((void **)&f->groups, &f->ngroups,
				sizeof *f->groups))
				->key,
			key, sizeof f->groups->key);
	for (int k = 0; there && k < FLEET_KEYS; k++)
		free(key[k]);
	return place;
}

static enum fleet_scale scale_of(const char *name, const char *unit)
{
	static const char *const counted[] = { "bytes", "entries", "instructions", "ways",
		"branches", "passes", "targets", "calls" };

	if (!strncmp(name, "noise_", 6))
		return FLEET_NOISE;
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (!strcmp(unit, counted[i]))
			return FLEET_COUNTED;
	return FLEET_SMOOTH;
}

static size_t value_for(struct fleet *f, const json_t *summary)
{
	const char *name = text_of(summary, KEY_NAME), *unit = text_of(summary, KEY_UNIT);
	double page_bytes = number_or(summary, KEY_PAGE_BYTES, 0);
	char key[160];
	size_t place;

	snprintf(key, sizeof key, "%.64s %.32s %.0f", name, unit, page_bytes);
	if (placed(f, "value", key, f->nvalues, &place))
		return place;
	struct fleet_value *value = grow((void **)&f->values, &f->nvalues, sizeof *value);
	*value = (struct fleet_value){ copy_text(name), copy_text(unit), page_bytes,
		scale_of(name, unit) };
	return place;
}

static bool add_value(struct fleet *f, const json_t *summary, size_t group, size_t machine)
{
	double number = number_of(summary, KEY_VALUE);
	double step = number_of(summary, KEY_HIGH) - number_of(summary, KEY_LOW);

	if (!isfinite(number) || !*text_of(summary, KEY_NAME))
		return false;
	size_t value = value_for(f, summary);
	bool counted = f->values[value].scale == FLEET_COUNTED;
	struct fleet_number *n = grow((void **)&f->numbers, &f->nnumbers, sizeof *n);
	*n = (struct fleet_number){ group, value, machine, 1, number,
		counted && step > 0 ? step : 0 };
	return true;
}

static void fleet_add_run(struct fleet *f, const struct run_data *run, const char *name)
{
	char *key[FLEET_KEYS], host[MACHINE_ID], pair[64];
	size_t values = 0, place;

	fleet_keys(run->head, key);
	machine_id(run->head_line, host);
	size_t machine = machine_for(f, name, host), group = group_for(f, key);
	snprintf(pair, sizeof pair, "%zu %zu", group, machine);
	f->groups[group].machines += !placed(f, "pair", pair, 0, &place);
	f->groups[group].runs++;
	f->runs++;
	for (size_t i = 0; i < run->summaries.n; i++)
		values += add_value(f, run->summaries.list[i].json, group, machine);
	f->no_values += !values;
	json_object_set_new(f->builds, text_of(run->head, KEY_BUILD), json_true());
}

void fleet_add(struct fleet *f, const struct results *results, const char *name, const char *rooms)
{
	f->files++;
	for (size_t i = 0; i < results->nruns; i++)
		if (!*rooms || names_have(rooms, results->runs[i].room))
			fleet_add_run(f, &results->runs[i], name);
}

void fleet_free(struct fleet *f)
{
	for (size_t i = 0; i < f->nmachines; i++) {
		free(f->machines[i].name);
		free(f->machines[i].host);
	}
	for (size_t i = 0; i < f->ngroups; i++)
		for (int k = 0; k < FLEET_KEYS; k++)
			free(f->groups[i].key[k]);
	for (size_t i = 0; i < f->nvalues; i++) {
		free(f->values[i].name);
		free(f->values[i].unit);
	}
	free(f->machines);
	free(f->groups);
	free(f->values);
	free(f->numbers);
	free(f->columns);
	free(f->outliers);
	free(f->differences);
	json_decref(f->at);
	json_decref(f->builds);
}

/*
 * Finding the machines that lie outside of their group, and the groups of one model whose medians
 * differ: docs/fleet.md, "How a fleet is judged".
 */

static double fleet_scaled(const struct fleet_value *value, double number)
{
	return value->scale == FLEET_NOISE ? log1p(fmax(number, 0)) : number;
}

double fleet_unscaled(const struct fleet_value *value, double scaled)
{
	return value->scale == FLEET_NOISE ? expm1(fmax(scaled, 0)) : scaled;
}

/* Groups of one model that differ in firmware or microcode: finding medians that differ. */

static bool larger(const struct fleet_group *a, const struct fleet_group *b)
{
	return a->judged && a->machines > b->machines;
}

/*
 * For each group the group of its model with most machines, the first of these; the caller frees
 * it.
 */
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

/* The column of that value in the group; NULL: there is none. */
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

/* Welch's degrees of freedom for the difference of the two medians. */
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

/* Order by group, then the largest first: a group's columns are neighbours. */
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

/* Replace several runs of one machine by one number, their median. */
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

/* The least deviation that is accepted, on the scale. */
static double least(const struct fleet_value *value, double median)
{
	return value->scale == FLEET_NOISE ? FLEET_NOISE_LEAST
					   : FLEET_DEVIATION_LEAST * fabs(median);
}

/* Compute median and deviation of the column's numbers. */
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
	/* A value that is written in steps may lie half a step away. */
	double mad = stats_median(scratch, c->machines) + stats_median(steps, c->machines) / 2;
	c->deviation = fmax(MAD_TO_SIGMA * mad * n / (n - FLEET_MAD_BIAS), least(value, c->median));
	free(scratch);
}

/* Returns true if both numbers are of the same value in the same group. */
static bool same_column(const struct fleet_number *a, const struct fleet_number *b)
{
	return a->group == b->group && a->value == b->value;
}

/* Make one column for each value of each judged group that enough of its machines have. */
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
		/* If the median is 0, there is no least deviation. */
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
	c->reach = fmax(c->limit * c->deviation,
		value->scale == FLEET_NOISE ? log1p(f->margin) : f->margin * fabs(c->median));
	for (size_t i = c->from; i < c->from + c->machines; i++) {
		struct fleet_machine *machine = &f->machines[f->numbers[i].machine];
		double z = (fleet_scaled(value, f->numbers[i].number) - c->median) / c->deviation;

		if (!(fabs(z) * c->deviation > c->reach))
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
	for (struct fleet_group *g = f->groups; g < f->groups + f->ngroups; g++) {
		g->emulated = !strcmp(g->key[FLEET_KEY_timing], "EMULATED");
		g->judged = g->machines >= FLEET_MACHINES_LEAST && !g->emulated;
	}
	pool(f);
	make_columns(f);
	for (size_t i = 0; i < f->ncolumns; i++)
		find_outliers(f, &f->columns[i], i);
	if (f->noutliers)
		qsort_r(f->outliers, f->noutliers, sizeof *f->outliers, by_machine, f);
	fleet_compare_groups(f);
}
