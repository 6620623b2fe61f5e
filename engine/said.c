/* SPDX-License-Identifier: MIT */
#include "engine/said.h"

#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"

#define LINE_BYTES 160 /* of which 80 are columns; longer ones are cut */

void said_begin(struct said *s, const struct probe *probe)
{
	if (!s || s->n == SAID_PROBES)
		return;
	s->now = probe;
	s->by[s->n].probe = probe;
	s->by[s->n].begin = s->used;
}

void said_add(struct said *s, const char *text, size_t n)
{
	if (!s || !s->now || s->by[s->n].cut)
		return;
	if (n > SAID_BYTES - s->used) {
		s->by[s->n].cut = true;
		return;
	}
	memcpy(s->text + s->used, text, n);
	s->used += n;
}

void said_end(struct said *s)
{
	if (!s || !s->now)
		return;
	s->by[s->n++].end = s->used;
	s->now = NULL;
}

static size_t line_length(const char *text, size_t n)
{
	size_t length = 0;

	while (length < n && text[length] != '\n')
		length++;
	return length;
}

static void put_lines(struct jsonl *l, const char *text, size_t n)
{
	char line[LINE_BYTES];

	for (size_t at = 0; at < n;) {
		size_t length = line_length(text + at, n - at);

		text_format(line, sizeof line, "%.*s", (int)length, text + at);
		jsonl_string(l, NULL, line);
		at += length + 1;
	}
}

void said_put(const struct said *s, struct jsonl *l)
{
	if (!s || !s->n)
		return;
	jsonl_array(l, KEY_SAID);
	for (unsigned i = 0; i < s->n; i++) {
		jsonl_object(l, NULL);
		jsonl_string(l, KEY_PROBE, s->by[i].probe->name);
		jsonl_array(l, KEY_TEXT);
		put_lines(l, s->text + s->by[i].begin, s->by[i].end - s->by[i].begin);
		if (s->by[i].cut)
			jsonl_string(l, NULL, "  ...");
		jsonl_array_end(l);
		jsonl_object_end(l);
	}
	jsonl_array_end(l);
}
