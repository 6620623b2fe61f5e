/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/run_text.h"
#include "lib/text.h"
#include "lib/result_keys.h"
#include "engine/find.h"
#include "engine/levels.h"
#include "engine/emit.h"
#include "engine/table.h"
#include "infer/card.h"

#define COLUMNS 79
#define INDENT  "     "

/* Which reason it is; SKIP_REASONS: there is no place for it. */
static unsigned reason_of(struct skipped *s, const char *text)
{
	char known[SKIP_REASON];
	unsigned i = 0;

	text_format(known, sizeof known, "%s", text);
	while (i < s->nreasons && strcmp(s->reasons[i].text, known))
		i++;
	if (i == s->nreasons && i < SKIP_REASONS) {
		memcpy(s->reasons[i].text, known, sizeof known);
		s->nreasons++;
	}
	return i;
}

static struct skip_kind *kind_of(struct skipped *s, const char *probe, const char *variant,
	unsigned reason)
{
	unsigned i = 0;

	for (; i < s->nkinds; i++)
		if (s->kinds[i].reason == reason && !strcmp(s->kinds[i].probe, probe) &&
			!strcmp(s->kinds[i].variant, variant))
			return &s->kinds[i];
	if (i == SKIP_KINDS)
		return NULL;
	s->kinds[i] = (struct skip_kind){ probe, variant, reason, 0 };
	return &s->kinds[s->nkinds++];
}

void skipped_add(struct skipped *s, const char *probe, const char *variant, const char *reason)
{
	unsigned which = reason_of(s, reason);
	struct skip_kind *kind = which < SKIP_REASONS ? kind_of(s, probe, variant, which) : NULL;

	if (!kind) {
		s->more++;
		return;
	}
	kind->rows++;
	s->reasons[which].rows++;
}

/* A line being filled with words. */
struct words {
	char line[COLUMNS + 1];
	unsigned n;
	void (*say)(void *to, const char *text, size_t n);
	void *to;
};

static void end_line(struct words *w)
{
	if (w->n > strlen(INDENT)) {
		w->line[w->n++] = '\n';
		w->say(w->to, w->line, w->n);
	}
	w->n = (unsigned)text_format(w->line, sizeof w->line, "%s", INDENT);
}

static void put_word(struct words *w, const char *word)
{
	unsigned n = (unsigned)strlen(word);

	if (w->n + 1 + n > COLUMNS)
		end_line(w);
	if (n < COLUMNS - w->n)
		w->n += (unsigned)text_format(w->line + w->n, sizeof w->line - w->n, " %s", word);
}

/* "4 rows: why", in as many lines as it takes; print_kinds ends the last one. */
static void print_reason(const struct skip_reason *r, struct words *w)
{
	const char *at = r->text;
	char word[SKIP_REASON];

	w->n = (unsigned)text_format(w->line, sizeof w->line, "  %u row%s:", r->rows,
		text_plural(r->rows));
	while (*at) {
		unsigned n = 0;

		while (at[n] && at[n] != ' ')
			n++;
		text_format(word, sizeof word, "%.*s", (int)n, at);
		put_word(w, word);
		at += n + (at[n] == ' ');
	}
}

/* "latency: method-raw(21) index": a line for each probe; how many of a kind, if several. */
static void print_kinds(const struct skipped *s, unsigned reason, struct words *w)
{
	const char *probe = "";
	char word[COLUMNS];

	for (unsigned i = 0; i < s->nkinds; i++) {
		const struct skip_kind *k = &s->kinds[i];

		if (k->reason != reason)
			continue;
		if (strcmp(probe, k->probe)) {
			end_line(w);
			text_format(word, sizeof word, "%.20s:", k->probe);
			put_word(w, word);
		}
		probe = k->probe;
		if (k->rows > 1)
			text_format(word, sizeof word, "%.30s(%u)", k->variant, k->rows);
		else
			text_format(word, sizeof word, "%.30s", *k->variant ? k->variant : "all");
		put_word(w, word);
	}
	end_line(w);
}

void skipped_print(const struct skipped *s, void (*say)(void *to, const char *text, size_t n),
	void *to)
{
	struct words w = { .say = say, .to = to };
	char line[64];
	int n;

	if (!s->nreasons && !s->more)
		return;
	say(to, "\nNot measured:\n", 15);
	for (unsigned i = 0; i < s->nreasons; i++) {
		if (!s->reasons[i].rows) /* there was no place for its kinds */
			continue;
		print_reason(&s->reasons[i], &w);
		print_kinds(s, i, &w);
	}
	n = text_format(line, sizeof line, "  %u row%s for other reasons\n", s->more,
		text_plural(s->more));
	if (s->more)
		say(to, line, (size_t)n);
}

#define LINE_BYTES 160 /* of which 80 are columns; longer ones are cut */

void remarks_begin(struct remarks *s, const struct probe *probe)
{
	if (!s || s->n == SAID_PROBES)
		return;
	s->now = probe;
	s->by[s->n].probe = probe;
	s->by[s->n].begin = s->used;
}

void remarks_add(struct remarks *s, const char *text, size_t n)
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

void remarks_end(struct remarks *s)
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

void remarks_put(const struct remarks *s, struct jsonl *l)
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

const char *run_mark(const struct bench *b)
{
	if (b->room->facts.emulated)
		return "EMULATED";
	return b->room->facts.hypervisor[0] ? "VIRTUAL" : "";
}

void say_title(struct bench *b, const struct probe *probe)
{
	char line[TABLE_LINE];
	struct table table;

	table_begin(&table, run_mark(b));
	table_title(&table, probe->name, probe->what, line);
	say(b, "\n%s\n", line);
}

/* Whether the TSC's rate was timed by another source than the one that is believed. */
static bool timed_twice(const struct facts *f)
{
	for (unsigned i = 0; i < f->tsc_sources; i++)
		if (f->tsc[i].hz > 0 && !f->tsc[i].claimed &&
			strcmp(f->tsc[i].name, f->tsc_source) != 0)
			return true;
	return false;
}

void say_machine(struct bench *b)
{
	const struct facts *f = &b->room->facts;

	say(b, "\nroom %s, %u CPU(s)\n", room_names[b->room->kind], f->cpus);
	say(b, "TSC %.6f GHz by %s", f->tsc_hz / 1e9, f->tsc_source);
	if (timed_twice(f))
		say(b, " (sources differ by %.0f ppm)\n", f->tsc_disagree_ppm);
	else
		say(b, ", the only source\n");
	if (b->core_hz > 0)
		say(b, "core clock %.3f GHz, ", b->core_hz / 1e9);
	else
		say(b, "core clock not known, ");
	say(b, "arena %llu MiB in %llu KiB pages\n", (unsigned long long)(b->arena.bytes / MIB),
		(unsigned long long)(b->arena.page_bytes / KIB));
	say(b,
		"in tables: p99 = 99th percentile, above the median (-: fewer than 100 samples);\n"
		"* = some samples were disturbed\n");
	if (*run_mark(b))
		say(b, "*** %s: %s ***\n", run_mark(b),
			f->emulated ? "an emulator runs this; its timings mean nothing"
				    : "a hypervisor is in the room; timings include it");
}

void say_levels(struct bench *b)
{
	char text[LEVELS_TEXT];

	levels_text(b->levels, b->arena.page_bytes, text);
	say(b, "%s", text);
}

static bool was_measured(const struct bench *b, const struct probe *probe)
{
	for (unsigned i = 0; i < b->nresults; i++)
		if (b->results[i].row->probe == probe)
			return true;
	return false;
}

/* The values found by a probe, by their names in the result. */
static void say_values(struct bench *b, const struct probe *probe)
{
	char text[CARD_TEXT];

	for (unsigned i = 0; i < b->found->n; i++) {
		const struct card_value *v = card_value(b->card, b->found->list[i].name);

		if (b->found->by[i] != probe || !v) /* no line: emit_line has said so */
			continue;
		card_value_text(v, text);
		say(b, CARD_VALUE_LINE, b->found->list[i].name, text);
	}
}

void say_found(struct bench *b)
{
	b->remarks = run_alloc(b, sizeof *b->remarks);
	say(b, FOUND_TITLE);
	for (unsigned i = 0; i < probe_count; i++) {
		b->probe = &probes[i];
		if (!was_measured(b, b->probe))
			continue;
		say(b, "%s\n", b->probe->name);
		say_values(b, b->probe);
		remarks_begin(b->remarks, b->probe);
		b->probe->meaning(b);
		remarks_end(b->remarks);
	}
}

static void say_text(void *to, const char *text, size_t n)
{
	output_text(to, text, n);
}

void say_skipped(struct bench *b)
{
	skipped_print(b->skipped, say_text, b);
}

void say_card(struct bench *b)
{
	card_print(b->card, say_text, b);
}
