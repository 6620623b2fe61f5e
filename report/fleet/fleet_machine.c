/* SPDX-License-Identifier: MIT */
/* Which machine a result is of, and what it must have in common with another to be judged by it. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

void fleet_keys(const json_t *head, char *key[FLEET_KEYS], char **host)
{
	const json_t *cpu = json_object_get(head, KEY_CPU);
	bool simulated = json_is_object(json_object_get(head, "known_answer"));
	bool emulated = json_is_true(json_object_get(head, KEY_EMULATED));

	key[FLEET_KEY_room] = copy_text(text_of(head, KEY_ROOM));
	key[FLEET_KEY_timing] = copy_text(simulated ? "SIMULATED" : emulated ? "EMULATED" : "");
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
