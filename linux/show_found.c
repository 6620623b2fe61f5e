/* SPDX-License-Identifier: MIT */
#include "linux/show_found.h"

#include <stdio.h>
#include <string.h>

#include "engine/levels.h"
#include "engine/run_text.h"
#include "engine/plan.h"
#include "lib/result_keys.h"

void show_levels(const struct run_data *run)
{
	const json_t *all = json_object_get(run->end, KEY_LEVELS);
	struct level_size levels[LEVELS];
	char text[LEVELS_TEXT];

	if (!all)
		return;
	for (unsigned i = 0; i < LEVELS; i++) {
		const json_t *one = json_object_get(all, level_names[i]);

		levels[i] = (struct level_size){ level_names[i],
			(uint64_t)number_or(one, KEY_BYTES, 0), text_of(one, KEY_ORIGIN) };
	}
	levels_text(levels, (size_t)number_or(all, KEY_PAGE_BYTES, 0), text);
	fputs(text, stdout);
}

static void show_values(const struct run_data *run, const struct card *card, const char *probe)
{
	char text[CARD_TEXT];

	for (size_t i = 0; i < run->summaries.n; i++) {
		const json_t *line = run->summaries.list[i].json;
		const struct card_value *v = card_value(card, text_of(line, KEY_NAME));

		if (!v || strcmp(text_of(line, KEY_PROBE), probe) != 0)
			continue;
		card_value_text(v, text);
		printf(CARD_VALUE_LINE, v->name, text);
	}
}

static void show_sentences(const json_t *lines)
{
	const json_t *line;
	size_t i;

	json_array_foreach(lines, i, line)
		if (json_is_string(line))
			puts(json_string_value(line));
}

void show_found(const struct run_data *run, const struct card *card, const char *probes)
{
	const json_t *said = json_object_get(run->end, KEY_SAID), *one;
	size_t i;

	if (!said)
		return;
	fputs(FOUND_TITLE, stdout);
	json_array_foreach(said, i, one) {
		const char *probe = text_of(one, KEY_PROBE);

		if (!probe_selected(probes, probe))
			continue;
		puts(probe);
		show_values(run, card, probe);
		show_sentences(json_object_get(one, KEY_TEXT));
	}
}
