/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/run_text.h"
#include "engine/answers.h"
#include "engine/doubts.h"
#include "lib/ensure.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/text.h"
#include "lib/result_keys.h"
#include "engine/find.h"
#include "engine/levels.h"
#include "engine/options.h"
#include "engine/plan.h"
#include "engine/emit.h"
#include "engine/infer/card.h"
#include "engine/skipped.h"
#include "engine/probe_api.h"

#define ROOM(name) #name,

const char *const room_names[] = {
#include "lib/rooms.inc"
};

static void remarks_add(struct remarks *s, const char *text, size_t n)
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

/*
 * From here to remarks_end all that is said is this probe's. s, all 0 before the first, may be
 * NULL: nothing is kept.
 */
static void remarks_begin(struct remarks *s, const struct probe *probe)
{
	if (!s)
		return;
	ensure(s->n < SAID_PROBES);
	s->now = probe;
	s->by[s->n].probe = probe;
	s->by[s->n].begin = s->used;
}

static void remarks_end(struct remarks *s)
{
	if (!s || !s->now)
		return;
	s->by[s->n++].end = s->used;
	s->now = NULL;
}

/* The time that it takes is none of the rows'. */
static void say_text(void *to, const char *text, size_t n)
{
	struct bench *b = to;
	uint64_t since = b->room->now(b->room);

	b->room->say(b->room, text, n);
	b->output_ticks += b->room->now(b->room) - since;
}

static void say_formatted(struct bench *b, enum run_text most, const char *format, va_list args)
{
	char text[512];
	int n = text_vformat(text, sizeof text, format, args);

	if (n >= (int)sizeof text)
		n = sizeof text - 1;
	remarks_add(b->remarks, text, (size_t)n);
	if (b->opt->text <= most)
		say_text(b, text, (size_t)n);
}

void say(struct bench *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_formatted(b, TEXT_ALL, format, args);
	va_end(args);
}

void tell(struct bench *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_formatted(b, TEXT_CARD, format, args);
	va_end(args);
}

double run_seconds(const struct bench *b)
{
	return ticks_to_ns(b, (double)(b->room->now(b->room) - b->start_ticks)) / 1e9;
}

void time_left_text(const struct bench *b, double left_ns, char out[TIME_LEFT])
{
	const struct options *o = b->opt;
	double left = left_ns / 1e9;

	if (o->noise_seconds && !(b->exact_ns > 0))
		*out = 0;
	else if (o->later_s > 0)
		text_format(out, TIME_LEFT, ", about %.0f s left of all", left + o->later_s);
	else if (!(left > 0))
		text_format(out, TIME_LEFT, ", longer than planned");
	else if (o->source)
		text_format(out, TIME_LEFT, ", about %.0f s left to measure", left);
	else
		text_format(out, TIME_LEFT, ", at most %u s left to measure", (unsigned)left + 1);
}

/* Returns true if another source than the one believed has timed the TSC's rate. */
static bool timed_twice(const struct facts *f)
{
	for (unsigned i = 0; i < f->tsc_sources; i++)
		if (f->tsc[i].hz > 0 && !f->tsc[i].claimed &&
			strcmp(f->tsc[i].name, f->tsc_source) != 0)
			return true;
	return false;
}

#define SOURCE_OFF                                                                                 \
	0.01 /* of the rate: no crystal is so wrong, so that the source or its claim is */

void tsc_sources_off(const struct facts *f, char out[SOURCES_OFF_TEXT])
{
	size_t used = 0;

	*out = 0;
	for (unsigned i = 0; i < f->tsc_sources; i++) {
		double off = f->tsc[i].hz / f->tsc_hz - 1;

		if (f->tsc[i].hz > 0 && math_abs(off) > SOURCE_OFF && used < SOURCES_OFF_TEXT)
			used += (size_t)text_format(out + used, SOURCES_OFF_TEXT - used,
				"; %s%s is %.1f %% off", f->tsc[i].name,
				f->tsc[i].claimed ? " (claimed)" : "", 100 * off);
	}
}

/* Print the mark of a room that is not silicon alone, or may not be, and the reason. */
static void say_mark(struct bench *b, const struct facts *f)
{
	if (*facts_mark(f) == 'S')
		say(b, "SIMULATED: times are those of the stated processor\n");
	else if (f->emulated)
		say(b, "EMULATED: an emulator runs this; its timings mean nothing\n");
	else if (f->hypervisor[0])
		say(b, "VIRTUAL: a hypervisor is in the room; timings include it\n");
	if (!f->may_be)
		return;
	say(b, "MAY BE %s\n", f->may_be == DOUBT_EMULATED ? "EMULATED" : "VIRTUAL");
	for (const char *at = f->may_be_why; *at;) {
		const char *reason = at;

		say(b, "  %.*s\n", (int)text_clause(&at), reason);
	}
}

void say_machine(struct bench *b)
{
	const struct facts *f = &b->room->facts;
	char off[SOURCES_OFF_TEXT];

	if (b->opt->text == TEXT_CARD) {
		tell(b, "room %s, %u CPU(s): core clock %.3f GHz, TSC %.3f GHz\n",
			room_names[b->room->kind], f->cpus, b->core_hz / 1e9, f->tsc_hz / 1e9);
		return;
	}
	tsc_sources_off(f, off);
	say(b, "\nroom %s, %u CPU(s)\n", room_names[b->room->kind], f->cpus);
	say(b, "TSC %.6f GHz by %s", f->tsc_hz / 1e9, f->tsc_source);
	if (timed_twice(f))
		say(b, " (sources differ by %.0f ppm%s)\n", f->tsc_disagree_ppm, off);
	else
		say(b, ", the only source%s\n", off);
	if (b->core_hz > 0)
		say(b, "core clock %.3f GHz, ", b->core_hz / 1e9);
	else
		say(b, "core clock not known, ");
	say(b, "arena %llu MiB in %llu KiB pages\n", (unsigned long long)(b->arena.bytes / MIB),
		(unsigned long long)(b->arena.page_bytes / KIB));
	say(b,
		"in tables: p99 = 99th percentile, above the median (-: fewer than 100 samples);\n"
		"* = some samples were disturbed\n");
	say_mark(b, f);
}

void say_levels(struct bench *b)
{
	char text[LEVELS_TEXT];
	levels_text(b->levels, b->arena.page_bytes, text);
	say(b, "%s", text);
}

bool probe_has_rows(const struct bench *b, const struct probe *probe)
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

/* Print once what other probes contradict. */
static void say_disputed(struct bench *b, const struct probe *probe)
{
	const char *last = NULL;

	for (unsigned i = 0; i < b->found->n; i++) {
		const struct summary *v = &b->found->list[i];

		if (b->found->by[i] != probe || !v->disputed || v->disputed == last)
			continue;
		last = v->disputed;
		say(b, "  %s\n", last);
	}
}

static void say_found(struct bench *b)
{
	b->remarks = run_alloc(b, sizeof *b->remarks);
	say(b, FOUND_TITLE);
	for (unsigned i = 0; i < probe_count; i++) {
		b->probe = &probes[i];
		if (!probe_has_rows(b, b->probe))
			continue;
		say(b, "%s\n", b->probe->name);
		say_values(b, b->probe);
		remarks_begin(b->remarks, b->probe);
		say_disputed(b, b->probe);
		if (b->probe->hooks->meaning)
			b->probe->hooks->meaning(b);
		remarks_end(b->remarks);
	}
}

static void say_skipped(struct bench *b)
{
	if (b->opt->text == TEXT_ALL)
		skipped_print(b->skipped, say_text, b);
}

static void say_card(struct bench *b, const struct card *card, const char *not_done)
{
	struct card_beside beside = { .not_done = not_done };

	if (b->room->beside) {
		beside.core_of = b->room->beside->core_of;
		beside.saved = not_done ? b->room->beside->saved : NULL;
	}
	if (b->opt->text <= TEXT_CARD)
		card_print(card, &beside, say_text, b);
}

void say_first_card(struct bench *b, const struct card *first)
{
	tell(b, "\nAfter %.0f s, before the rest is measured:\n", run_seconds(b));
	say_card(b, first, NULL);
}

/* Print the values that the rest of the run made others of; without tables, how many. */
static void say_changed(struct bench *b, const struct card *first)
{
	const char *title = "\nUnlike the first card, by what was measured after it:\n";
	char before[CARD_TEXT], now[CARD_TEXT];
	unsigned n = 0;

	for (unsigned i = 0; i < first->n; i++) {
		const struct card_value *v = card_value(b->card, first->values[i].name);

		card_value_brief(&first->values[i], before);
		*now = 0;
		if (v)
			card_value_brief(v, now);
		if (!strcmp(before, now) || !*before)
			continue;
		say(b, "%s  %-28s %s, was %s\n", title, first->values[i].name, *now ? now : "?",
			before);
		title = "";
		n++;
	}
	if (n && b->opt->text == TEXT_CARD)
		tell(b, "\nSince the first card %u value%s changed (-v: which).\n", n,
			n > 1 ? "s have" : " has");
}

/* Print the answers that were requested and not measured, and those of larger profiles. */
static void say_left_out(struct bench *b, const unsigned no_time[ANSWERS])
{
	unsigned larger = 0;
	bool any = false;

	for (unsigned a = 0; a < ANSWERS; a++) {
		larger += b->plan->beyond[a] > 0;
		if (!no_time[a])
			continue;
		if (!any)
			say(b, "\nLeft out, there was no time in the %.0f s of this profile:\n",
				profile_seconds(b->opt));
		say(b, "  %s (%u rows)\n", answer_text((enum answer)a), no_time[a]);
		any = true;
	}
	if (larger)
		say(b, "\n%u more questions are answered by larger profiles.\n", larger);
}

#define NOT_DONE_NAMES 58  /* columns */
#define NOT_DONE       160 /* bytes of what the card says of it */

/* The questions whose rows were left out for lack of time, as many as a line names; "": none. */
static void not_done_text(const struct bench *b, const unsigned no_time[ANSWERS],
	char out[NOT_DONE])
{
	unsigned more = 0, larger = 0, rows = 0;
	size_t used = 0;

	*out = 0;
	for (unsigned a = 0; a < ANSWERS; a++) {
		const char *text = answer_text((enum answer)a);
		size_t n = strlen(text);

		larger += b->plan->beyond[a] > 0;
		if (!no_time[a])
			continue;
		rows += no_time[a];
		if (used + n + 2 > NOT_DONE_NAMES) {
			more++;
			continue;
		}
		used += (size_t)text_format(out + used, NOT_DONE - used, "%s%s", used ? "; " : "",
			text);
	}
	if (used && more)
		used += (size_t)text_format(out + used, NOT_DONE - used, "; %u more", more);
	if (used)
		used += (size_t)text_format(out + used, NOT_DONE - used, " (%u rows)", rows);
	else if (larger)
		text_format(out, NOT_DONE, "%u questions of larger profiles", larger);
}

void say_outcome(struct bench *b, const struct card *first, const unsigned no_time[ANSWERS])
{
	char not_done[NOT_DONE];

	say_skipped(b);
	say_left_out(b, no_time);
	not_done_text(b, no_time, not_done);
	if (b->nresults)
		say_found(b);
	if (first)
		say_changed(b, first);
	say_card(b, b->card, not_done);
}

#define LINE_BYTES 160 /* of which 80 are columns; longer ones are cut */

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
