/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/levels.h"
#include "lib/result_keys.h"
#include "linux/show_json.h"

#define DIGITS 12 /* of a number: lines have at most 10 */

json_t *text_json(const char *text)
{
	json_t *out = json_string(text);
	char *copy = out ? NULL : strdup(text);

	for (char *c = copy; c && *c; c++)
		if (!isascii(*c))
			*c = '?';
	if (copy)
		out = json_string(copy);
	free(copy);
	return out ? out : json_null();
}

/* A copy of a line as it stands in the file, without the members that only frame it there. */
static json_t *line_json(struct line line)
{
	static const char *const frame[] = { KEY_KIND, KEY_ROOM, KEY_SEQ, KEY_CRC, KEY_VALUES,
		KEY_FLAGS };
	json_t *copy = json_loadb(line.text, line.n, 0, NULL);

	if (!copy) /* an integer of more than 64 bits */
		copy = json_loadb(line.text, line.n, JSON_DECODE_INT_AS_REAL, NULL);

	for (size_t i = 0; i < sizeof frame / sizeof *frame; i++)
		json_object_del(copy, frame[i]);
	return copy;
}

json_t *run_json(const struct results *file, const struct run_data *run)
{
	static const char *const keys[] = { KEY_BUILD, KEY_TIME_UTC, KEY_CPU, KEY_CORE_HZ,
		KEY_TSC_HZ, KEY_HYPERVISOR, KEY_PROFILE, "probes" };
	json_t *head = line_json(run->head_line);
	json_t *out = json_pack("{s:o, s:s, s:s, s:s}", "file", text_json(file->name), KEY_ROOM,
		run->room, "mark", result_mark(run->head_line), KEY_STATUS,
		run->end ? text_of(run->end, KEY_STATUS) : "cut");

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (json_object_get(head, keys[i]))
			json_object_set(out, keys[i], json_object_get(head, keys[i]));
	json_decref(head);
	return out;
}

void add_lines_json(json_t *to, const struct run_data *run)
{
	json_t *rows = json_array(), *skips = json_array();

	for (size_t i = 0; i < run->nrows; i++)
		json_array_append_new(rows, line_json(run->rows[i].line));
	for (size_t i = 0; i < run->skips.n; i++)
		json_array_append_new(skips, line_json(run->skips.list[i].line));
	json_object_set_new(to, "run", line_json(run->head_line));
	json_object_set_new(to, KEY_ROWS, rows);
	json_object_set_new(to, KEY_SKIPS, skips);
	json_object_set_new(to, "end", run->end ? line_json(run->end_line) : json_null());
}

/* A value without its name, which is the key. */
static json_t *value_json(struct line line)
{
	json_t *value = line_json(line);

	json_object_del(value, KEY_NAME);
	return value;
}

/* A level's members, and the values that they are: %s is the level's name. */
static const struct {
	const char *member, *value;
} of_level[] = {
	{ "size", "%s_bytes" },
	{ "latency_ns", "%s_latency_ns" },
	{ "latency_cycles", "%s_latency_cycles" },
	{ "read", "read_bytes_per_cycle_%s" },
	{ "write", "write_bytes_per_cycle_%s" },
	{ "copy", "copy_bytes_per_cycle_%s" },
};

#define VALUE_NAME 40

static json_t *level_json(const char *level, const json_t *values)
{
	json_t *out = json_pack("{s:s}", KEY_LEVEL, level);

	for (size_t i = 0; i < sizeof of_level / sizeof *of_level; i++) {
		bool first = !strcmp(level, "l1") && !strncmp(of_level[i].value, "%s", 2);
		char name[VALUE_NAME];

		snprintf(name, sizeof name, of_level[i].value, first ? "l1d" : level);
		if (json_object_get(values, name))
			json_object_set(out, of_level[i].member, json_object_get(values, name));
	}
	return out;
}

void add_card_json(json_t *to, const struct run_data *run)
{
	json_t *values = json_object(), *levels = json_array();

	for (size_t i = 0; i < run->summaries.n; i++)
		json_object_set_new(values, text_of(run->summaries.list[i].json, KEY_NAME),
			value_json(run->summaries.list[i].line));
	for (unsigned i = 0; i < LEVELS; i++)
		json_array_append_new(levels, level_json(level_names[i], values));
	json_object_set_new(to, KEY_LEVELS, levels);
	json_object_set_new(to, KEY_VALUES, values);
}

void print_json(const json_t *all)
{
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS));
	putchar('\n');
}
