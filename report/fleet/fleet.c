/* SPDX-License-Identifier: MIT */
/* What is kept of the results of a fleet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/fleet/fleet_parts.h"

void fleet_open(struct fleet *f)
{
	*f = (struct fleet){ .at = json_object(), .builds = json_object() };
}

/* The place of what is called so; false: it is new, and has place n. */
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

/* Takes the keys. */
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

static void add_run(struct fleet *f, const struct run_data *run, const char *name)
{
	char *key[FLEET_KEYS], *host, pair[64];
	size_t values = 0, place;

	fleet_keys(run->head, key, &host);
	size_t machine = machine_for(f, name, host), group = group_for(f, key);
	snprintf(pair, sizeof pair, "%zu %zu", group, machine);
	f->groups[group].machines += !placed(f, "pair", pair, 0, &place);
	f->groups[group].runs++;
	f->runs++;
	for (size_t i = 0; i < run->summaries.n; i++)
		values += add_value(f, run->summaries.list[i].json, group, machine);
	f->no_values += !values;
	json_object_set_new(f->builds, text_of(run->head, KEY_BUILD), json_true());
	free(host);
}

void fleet_add(struct fleet *f, const struct results *results, const char *name, const char *rooms)
{
	f->files++;
	for (size_t i = 0; i < results->nruns; i++)
		if (!*rooms || names_have(rooms, results->runs[i].room))
			add_run(f, &results->runs[i], name);
}

bool fleet_has_room(const struct fleet *f, const char *room)
{
	for (size_t i = 0; i < f->ngroups; i++)
		if (!strcmp(f->groups[i].key[FLEET_KEY_room], room))
			return true;
	return false;
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
