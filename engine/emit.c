/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/emit.h"
#include "engine/probe_api.h"
#include "engine/find.h"
#include "engine/infer/card.h"
#include "engine/levels.h"
#include "engine/run_text.h"
#include "engine/skipped.h"
#include "engine/source_rows.h"
#include "lib/crc32.h"
#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"

struct jsonl *emit_begin(struct bench *b, const char *kind)
{
	struct jsonl *l = &b->emit->line;

	jsonl_begin(l, b->emit->text, sizeof b->emit->text);
	jsonl_string(l, KEY_KIND, kind);
	jsonl_string(l, KEY_ROOM, room_names[b->room->kind]);
	jsonl_integer(l, KEY_SEQ, b->emit->seq);
	return l;
}

/* A line that does not fit is lost; a message and the gap in seq show it. */
void emit_line(struct bench *b)
{
	size_t n = jsonl_end(&b->emit->line);
	uint64_t since;

	b->emit->seq++;
	if (n == 0) {
		tell(b, "internal error: result line %u is longer than %u bytes and was lost\n",
			b->emit->seq - 1, (unsigned)EMIT_LINE);
		return;
	}
	b->emit->crc_all = crc32_of(b->emit->crc_all, b->emit->text, n);
	card_read(b->card, (struct line){ b->emit->text, n });
	since = b->room->now(b->room);
	b->room->write(b->room, b->emit->text, n);
	b->output_ticks += b->room->now(b->room) - since;
}

static const struct {
	const char *name;
	size_t offset;
} counts[EVENT_KINDS] = {
#define EVENT(NAME, name, kind, words) { #name, offsetof(struct event_counts, name) },
#include "lib/event_counts.inc"
#undef EVENT
};

void emit_counts_known(struct jsonl *l, struct room *room)
{
	struct event_counts q = { 0 };

	room->timed_begin(room, &q);
	room->timed_end(room, &q);
	jsonl_array(l, KEY_COUNTS);
	for (unsigned i = 0; i < EVENT_KINDS; i++)
		if (q.known >> i & 1)
			jsonl_string(l, NULL, counts[i].name);
	jsonl_array_end(l);
}

/* page_bytes: what the row really had; 0 without arena or where nothing was measured. */
static void put_identity(struct jsonl *l, const struct row *row, size_t page_bytes)
{
	jsonl_string(l, KEY_PROBE, row->probe->name);
	jsonl_string(l, KEY_VARIANT, row->variant);
	if (row->level)
		jsonl_string(l, KEY_LEVEL, row->level);
	if (!row->nparams && !page_bytes)
		return;
	jsonl_object(l, KEY_PARAMS);
	for (unsigned i = 0; i < row->nparams; i++)
		jsonl_number(l, row->params[i].name, row->params[i].value);
	if (page_bytes)
		jsonl_integer(l, KEY_PAGE_BYTES, page_bytes);
	jsonl_object_end(l);
}

/*
 * The node of all memory that the job has, unless that is where the run line says that the arena
 * is.
 */
static void put_node(struct jsonl *l, const struct bench *b, const struct result *r,
	const struct job *job)
{
	uint32_t node = job->placed ? job->node : job->arena.node;

	if (!r->page_bytes || node == b->arena_node)
		return;
	if (node == NODE_UNKNOWN)
		jsonl_number(l, KEY_NODE, NOT_A_NUMBER);
	else
		jsonl_integer(l, KEY_NODE, node);
}

static void put_statistics(struct jsonl *l, const struct result *r)
{
	enum { ALWAYS, IF_KNOWN };

#define STATISTIC(name, when)                                                                      \
	if (when == ALWAYS || r->name > 0)                                                         \
		jsonl_number(l, #name, r->name);
#include "lib/row_statistics.inc"
#undef STATISTIC
}

static void put_events(struct jsonl *l, const struct event_counts *q)
{
	jsonl_object(l, KEY_COUNTS);
	for (unsigned i = 0; i < EVENT_KINDS; i++)
		if (q->known >> i & 1)
			jsonl_integer(l, counts[i].name,
				*(const uint64_t *)((const char *)q + counts[i].offset));
	jsonl_object_end(l);
}

static void put_values(struct jsonl *l, const struct result *r, const double *values,
	const bool *flagged)
{
	jsonl_array(l, KEY_VALUES);
	for (unsigned i = 0; i < r->samples; i++)
		jsonl_number(l, NULL, values[i]);
	jsonl_array_end(l);
	if (!r->disturbed)
		return;
	jsonl_array(l, KEY_FLAGS);
	for (unsigned i = 0; i < r->samples; i++)
		if (flagged[i])
			jsonl_integer(l, NULL, i);
	jsonl_array_end(l);
}

void emit_row(struct bench *b, const struct result *r, struct job *job, const double *values,
	const bool *flagged)
{
	struct jsonl *l = emit_begin(b, KIND_ROW);
	struct result done = *r;

	done.at_seconds = run_seconds(b);
	put_identity(l, r->row, r->page_bytes);
	put_node(l, b, r, job);
	jsonl_string(l, KEY_UNIT, r->row->unit->name);
	put_statistics(l, &done);
	if (r->unsteady)
		jsonl_string(l, KEY_UNSTEADY, r->unsteady);
	put_events(l, &r->events);
	jsonl_string(l, KEY_ORIGIN, "measured");
	put_values(l, r, values, flagged);
	if (job->extra) {
		jsonl_object(l, KEY_MORE);
		job->extra(b, job, l, values, (unsigned)r->samples);
		jsonl_object_end(l);
	}
	b->rows++;
	emit_line(b);
}

void emit_skip(struct bench *b, const struct probe *probe, const struct row *row, struct job *job,
	const char *reason)
{
	struct jsonl *l = emit_begin(b, KIND_SKIP);

	if (row)
		put_identity(l, row, 0);
	else
		jsonl_string(l, KEY_PROBE, probe->name);
	jsonl_string(l, KEY_REASON, reason);
	if (job && job->skip_extra) {
		jsonl_object(l, KEY_MORE);
		job->skip_extra(b, job, l);
		jsonl_object_end(l);
	}
	if (b->skipped)
		skipped_add(b->skipped, probe->name, row ? row->variant : "", reason);
	if (!b->skips++)
		text_format(b->first_skip, sizeof b->first_skip, "%s", reason);
	emit_line(b);
}

void emit_end(struct bench *b, const char *status, const char *why)
{
	uint32_t crc_all = b->emit->crc_all;
	struct jsonl *l = emit_begin(b, KIND_END);
	char crc[9];

	jsonl_string(l, KEY_STATUS, status);
	if (why)
		jsonl_string(l, KEY_WHY, why);
	jsonl_integer(l, KEY_ROWS, b->rows);
	jsonl_integer(l, KEY_SUMMARIES, b->summaries);
	jsonl_integer(l, KEY_SKIPS, b->skips);
	jsonl_integer(l, KEY_LINES, b->emit->seq);
	jsonl_number(l, KEY_SECONDS, run_seconds(b));
	jsonl_number(l, KEY_OUTPUT_SECONDS, ticks_to_ns(b, (double)b->output_ticks) / 1e9);
	jsonl_number(l, KEY_ARENA_SECONDS, ticks_to_ns(b, (double)b->arena_ticks) / 1e9);
	if (b->room->conclude)
		b->room->conclude(b->room, l);
	levels_put(b, l);
	remarks_put(b->remarks, l);
	for (unsigned i = 0; i < 8; i++)
		crc[i] = "0123456789abcdef"[crc_all >> (28 - 4 * i) & 15];
	crc[8] = 0;
	jsonl_string(l, KEY_CRC_ALL, crc);
	emit_line(b);
}

/* Summary lines: what was found, beside what CPUID claims. */

#define CLAIM_AWAY 0.01 /* of the value, at most, where there is no bracket; docs/format.md */

static bool has_bracket(const struct summary *s)
{
	return s->low <= s->high && s->high > 0;
}

/*
 * Returns true if the bracket's upper end is too large a number: a count that did not fit is more
 * than the processor has. That does not hold for bytes: a buffer as large as a cache loses lines to
 * other data.
 */
static bool high_is_too_many(const struct summary *s)
{
	return s->edge && s->low < s->high && strcmp(s->unit, "bytes") != 0;
}

/*
 * Returns true if CPUID's claim agrees with the measurement; both are known. The claim must lie in
 * the bracket, to which both ends belong, but of a count not the upper one; without a bracket,
 * within 1 % of the value.
 */
static bool summary_agrees(const struct summary *s)
{
	double low = s->rise[0] > 0 ? math_min(s->low, s->rise[0]) : s->low;

	if (has_bracket(s))
		return s->claimed >= low &&
			(s->claimed <= s->rise[2] || s->claimed < s->high ||
				(s->claimed == s->high && !high_is_too_many(s)));
	return math_abs(s->claimed - s->value) <= CLAIM_AWAY * math_abs(s->value);
}

static void put_floor(struct jsonl *l, const struct summary *s)
{
	jsonl_number(l, KEY_FLOOR, s->floor);
	if (s->floor_high > 0) {
		jsonl_number(l, "floor_low", s->floor_low);
		jsonl_number(l, "floor_high", s->floor_high);
	}
	jsonl_number(l, KEY_DISTURBED_SHARE, s->disturbed_share);
}

static void begin_summary(struct bench *b, const struct summary *s, const struct probe *by)
{
	struct jsonl *l = emit_begin(b, KIND_SUMMARY);

	jsonl_string(l, KEY_NAME, s->name);
	jsonl_string(l, KEY_PROBE, by->name);
	jsonl_number(l, KEY_VALUE, s->value);
	jsonl_string(l, KEY_UNIT, s->unit);
	if (has_bracket(s)) {
		jsonl_number(l, KEY_LOW, s->low);
		jsonl_number(l, KEY_HIGH, s->high);
	}
	if (s->rise[0] > 0) {
		jsonl_number(l, KEY_RISE_10, s->rise[0]);
		jsonl_number(l, KEY_RISE_50, s->rise[1]);
		jsonl_number(l, KEY_RISE_90, s->rise[2]);
	}
	jsonl_number(l, KEY_CLAIMED, s->claimed);
	if (math_finite(s->value) && math_finite(s->claimed))
		jsonl_bool(l, KEY_AGREES, summary_agrees(s));
	jsonl_number(l, KEY_CONFIDENCE, s->confidence);
	if (s->has_floor)
		put_floor(l, s);
	if (*s->form)
		jsonl_string(l, KEY_FORM, s->form);
	jsonl_string(l, "rests_on", s->rests_on);
	if (s->page_bytes)
		jsonl_integer(l, KEY_PAGE_BYTES, s->page_bytes);
	if (s->reason)
		jsonl_string(l, KEY_REASON, s->reason);
}

/*
 * Returns true if the run says anything of value i: its probe was asked for or has rows here, or
 * another probe's rows gave a number.
 */
static bool has_line(const struct bench *b, unsigned i)
{
	const struct summary *s = &b->found->list[i];

	return probe_asked_for(b->opt, b->found->by[i]) || probe_has_rows(b, b->found->by[i]) ||
		math_finite(s->value) || s->has_floor;
}

void emit_found(struct bench *b)
{
	const struct found_values *f = b->found;

	for (unsigned i = 0; i < f->n; i++) {
		if (!has_line(b, i))
			continue;
		begin_summary(b, &f->list[i], f->by[i]);
		b->summaries++;
		emit_line(b);
	}
}

void emit_found_on(struct bench *b, struct card *card)
{
	const struct found_values *f = b->found;

	for (unsigned i = 0; i < f->n; i++) {
		if (!has_line(b, i))
			continue;
		begin_summary(b, &f->list[i], f->by[i]);
		card_read(card, (struct line){ b->emit->text, jsonl_end(&b->emit->line) });
	}
}
