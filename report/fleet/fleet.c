/* SPDX-License-Identifier: MIT */
/*
 * What is kept of the results of a fleet: which machine each is of, what it must have in common
 * with another to be judged by it, and its values.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "report/fleet/fleet.h"
#include "lib/result_keys.h"
#include "report/fleet/fleet_parts.h"

#define STAMP      "ddddddddTddddddZ" /* 20260101T120000Z; d: a digit */
#define OWN_PREFIX "anechoic-"        /* of the names that `run` chooses */

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

/* Takes the time out of a name, with the hyphen beside it; whether there was one. */
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

/* Only ASCII goes to a terminal and into JSON. */
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
	const char *profile = text_of(head, KEY_PROFILE), *asked = text_of(clock, "asked");
	bool off = !strcmp(text_of(prefetch, "asked"), "off") &&
		json_is_true(json_object_get(prefetch, "works"));
	bool set = *asked && strcmp(asked, "free") && json_is_true(json_object_get(clock, "set"));

	return format_text("%s%s%s%s%s", *profile ? "profile " : "", profile,
		off ? ", prefetchers off" : "", set ? ", clock " : "", set ? asked : "");
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

/* Numbers that many makers leave as they are, and QEMU's address: they tell no machine. */
static bool tells_machine(const char *id)
{
	static const char *const nobody[] = { "03000200-0400-0500-0006-000700080009",
		"00020003-0004-0005-0006-000700080009", "52-54-00-12-34-56",
		"To be filled by O.E.M.", "Default string", "System Serial Number", "Not Specified",
		"None", "unknown", "0123456789" };

	for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++)
		if (!strcasecmp(id, nobody[i]))
			return false;
	return strspn(id, "0-: .") < strlen(id) && strspn(id, "fF-:") < strlen(id);
}

static char *host_text(const json_t *host)
{
	static const char *const ids[] = { "uuid", "serial", "mac" };

	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
		if (tells_machine(text_of(host, ids[i])))
			return format_text("%s %s", ids[i], text_of(host, ids[i]));
	return copy_text("");
}

static void fleet_keys(const json_t *head, char *key[FLEET_KEYS], char **host)
{
	const json_t *cpu = json_object_get(head, KEY_CPU);
	bool simulated = json_is_object(json_object_get(head, "known_answer"));
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
	key[FLEET_KEY_board] = copy_text(known(text_of(json_object_get(head, KEY_OS), "machine")));
	key[FLEET_KEY_settings] = settings_text(head);
	key[FLEET_KEY_microcode] = microcode_text(cpu);
	key[FLEET_KEY_firmware] = firmware_text(json_object_get(head, "firmware"));
	*host = host_text(json_object_get(head, "host"));
}

bool fleet_is_emulated(const struct fleet_group *group)
{
	return !strcmp(group->key[FLEET_KEY_timing], "EMULATED");
}

enum { MODEL, REVISION };

static const struct {
	const char *words;
	int kind;
} keys[FLEET_KEYS] = {
#define FLEET_KEY(name, words, kind) { words, kind },
#include "report/fleet/fleet_keys.inc"
#undef FLEET_KEY
};

bool fleet_one_model(const struct fleet_group *a, const struct fleet_group *b)
{
	for (int k = 0; k < FLEET_KEYS; k++)
		if (keys[k].kind == MODEL && strcmp(a->key[k], b->key[k]))
			return false;
	return true;
}

/* The keys of the group that differ from the other's; NULL: all that are known. */
static char *keys_text(const struct fleet_group *group, const struct fleet_group *other)
{
	const char *comma = "";
	size_t bytes;
	char *text;
	FILE *out = text_stream(&text, &bytes);

	for (int k = 0; k < FLEET_KEYS; k++) {
		bool differs = other && strcmp(group->key[k], other->key[k]);
		if (other ? !differs : !*group->key[k])
			continue;
		fprintf(out, "%s%s%s", comma, keys[k].words,
			*group->key[k] ? group->key[k] : "unknown");
		comma = ", ";
	}
	fclose(out);
	return text;
}

char *fleet_group_text(const struct fleet_group *group)
{
	return keys_text(group, NULL);
}

char *fleet_revision_text(const struct fleet_group *group, const struct fleet_group *other)
{
	return keys_text(group, other);
}

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

static void fleet_add_run(struct fleet *f, const struct run_data *run, const char *name)
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
			fleet_add_run(f, &results->runs[i], name);
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
