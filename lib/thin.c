/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/text.h"
#include "lib/thin.h"

/* The level from which on each thing is left out; lib/thin.h. */
enum { SHORT = 1, NO_WORDS, NO_MORE, NO_QUANTILES, EVERY_SECOND };

#define DIGITS 4 /* of the numbers of a short row */

/* Members that are left out of the lines of a kind; LINE_OTHER: of all lines. */
static const struct {
	unsigned level;
	enum line_kind kind;
	const char *keys;
} dropped[] = {
	{ 0, LINE_OTHER, KEY_VALUES "," KEY_FLAGS "," KEY_CRC },
	{ 0, LINE_END, KEY_CRC_ALL },
	{ SHORT, LINE_ROW,
		"min,mean,outliers,ops,overhead_ticks,undisturbed,at_seconds," KEY_COUNTS },
	{ NO_WORDS, LINE_OTHER, KEY_SAID "," KEY_LEVELS },
	{ NO_MORE, LINE_OTHER, KEY_MORE },
	{ NO_QUANTILES, LINE_ROW, "p10,p90,p99,max" },
};

/* Members that the card and its readers need, by kind of line; NULL: all. */
static const char *const for_card[] = {
	[LINE_RUN] =
		KEY_KIND "," KEY_ROOM "," KEY_SEQ "," KEY_SCHEMA "," KEY_BUILD "," KEY_TIME_UTC
			 "," KEY_CPU "," KEY_CPUS "," KEY_EMULATED "," KEY_HYPERVISOR "," KEY_MAY_BE
			 "," KEY_MAY_BE_WHY "," KEY_TSC_HZ "," KEY_TSC_SOURCE "," KEY_PROFILE
			 "," KEY_HOST "," KEY_SMBIOS "," KEY_SIBLINGS "," KEY_RUN_ID,
	[LINE_SUMMARY] =
		KEY_KIND "," KEY_ROOM "," KEY_SEQ "," KEY_NAME "," KEY_UNIT "," KEY_VALUE
			 "," KEY_LOW "," KEY_HIGH "," KEY_CLAIMED "," KEY_CONFIDENCE "," KEY_AGREES
			 "," KEY_RISE_10 "," KEY_RISE_50 "," KEY_RISE_90 "," KEY_FORM,
	[LINE_OTHER] = NULL,
};

struct thinning {
	unsigned level;
	const char *why;
	char *out;
	size_t bytes, used;
	bool ended, shortened; /* rows of a complete run are missing */
	uint32_t crc_all;
	unsigned lines, kept[LINE_OTHER + 1], gone[LINE_OTHER + 1]; /* of each kind */
	struct line row;                                            /* the last row */
	unsigned in_sweep;                                          /* rows of its sweep so far */
};

static bool keep_row(struct thinning *t, struct line line)
{
	struct member level;

	if (!t->row.text || !line_same(line, t->row, KEY_PROBE) ||
		!line_same(line, t->row, KEY_VARIANT))
		t->in_sweep = 0;
	t->row = line;
	unsigned at = t->in_sweep++;

	if (t->level >= THIN_CARD)
		return false;
	if (t->level < EVERY_SECOND || line_find(line, KEY_LEVEL, &level))
		return true;
	return t->level < THIN_MOST && at % (2U << (t->level - EVERY_SECOND)) == 0;
}

/* Count a line, and return true if it is kept. */
static bool keep_line(struct thinning *t, enum line_kind kind, struct line line)
{
	struct member reason;
	bool keep = true;

	if (kind == LINE_ROW)
		keep = keep_row(t, line);
	else if (kind == LINE_SKIP)
		keep = t->level < SHORT;
	else if (kind == LINE_SUMMARY)
		keep = t->level < THIN_CARD || !line_find(line, KEY_REASON, &reason);
	(keep ? t->kept : t->gone)[kind]++;
	return keep;
}

static bool keep_member(const struct thinning *t, const struct member *m, enum line_kind kind)
{
	for (unsigned i = 0; i < sizeof dropped / sizeof *dropped; i++)
		if (t->level >= dropped[i].level &&
			(dropped[i].kind == kind || dropped[i].kind == LINE_OTHER) &&
			names_have_bytes(dropped[i].keys, m->key, m->key_bytes))
			return false;
	if (t->shortened && kind == LINE_END && member_is(m, KEY_STATUS))
		return false;
	return t->level < THIN_CARD || !for_card[kind] ||
		names_have_bytes(for_card[kind], m->key, m->key_bytes);
}

/* Write the end line's last members. */
static void put_thinned(const struct thinning *t, struct jsonl *l)
{
	static const char *const named[] = { "short", KEY_SAID, KEY_MORE, "quantiles" };
	char text[128];

	if (t->shortened) {
		text_format(text, sizeof text, "%u rows left out %s", t->gone[LINE_ROW], t->why);
		jsonl_string(l, KEY_STATUS, "shortened");
		jsonl_string(l, KEY_WHY, text);
	}
	jsonl_object(l, KEY_THINNED);
	jsonl_bool(l, KEY_VALUES, true);
	for (unsigned level = SHORT; level <= NO_QUANTILES; level++)
		jsonl_bool(l, named[level - SHORT], t->level >= level);
	jsonl_integer(l, KEY_ROWS, t->gone[LINE_ROW]);
	jsonl_integer(l, KEY_SKIPS, t->gone[LINE_SKIP]);
	jsonl_integer(l, KEY_SUMMARIES, t->gone[LINE_SUMMARY]);
	jsonl_string(l, KEY_WHY, t->why);
	jsonl_object_end(l);
	text_format(text, sizeof text, "%08x", t->crc_all);
	jsonl_string(l, KEY_CRC_ALL, text);
}

/* Write a number to DIGITS digits; copy other values, and numbers that are short anyway. */
static void put_short(struct jsonl *l, const struct member *m)
{
	double v = member_number(m), size = math_abs(v);
	int decimals = size < 10 ? 3 : size < 1e2 ? 2 : size < 1e3 ? 1 : 0;
	char text[24];

	if (size >= 1e4 || size < 1)
		text_format(text, sizeof text, "%.3e", v);
	else
		text_format(text, sizeof text, "%.*f", decimals, v);
	if (m->value_bytes <= DIGITS + 1 || !math_finite(v))
		jsonl_raw(l, m->key, m->key_bytes, m->value, m->value_bytes);
	else
		jsonl_raw(l, m->key, m->key_bytes, text, strlen(text));
}

/*
 * Write a member. Rewrite the counts that thinning changes: the first in every line, all in the
 * last.
 */
static void put_member(const struct thinning *t, struct jsonl *l, const struct member *m,
	enum line_kind kind)
{
	const struct {
		const char *key;
		unsigned n;
	} counts[] = { { KEY_SEQ, t->lines }, { KEY_LINES, t->lines },
		{ KEY_ROWS, t->kept[LINE_ROW] }, { KEY_SKIPS, t->kept[LINE_SKIP] },
		{ KEY_SUMMARIES, t->kept[LINE_SUMMARY] } };
	unsigned i = 0, n = kind == LINE_END ? sizeof counts / sizeof *counts : 1;

	while (i < n && !member_is(m, counts[i].key))
		i++;
	if (i < n)
		jsonl_integer(l, counts[i].key, counts[i].n);
	else if (kind == LINE_ROW && t->level >= SHORT)
		put_short(l, m);
	else
		jsonl_raw(l, m->key, m->key_bytes, m->value, m->value_bytes);
}

/* Returns false if the line is not a JSON object, or does not fit. */
static bool put_line(struct thinning *t, struct line line, enum line_kind kind)
{
	const char *at = line.text, *end = at + line.n;
	struct member m;
	struct jsonl l;

	jsonl_begin(&l, t->out + t->used, t->bytes - t->used);
	while (member_next(&at, end, &m))
		if (keep_member(t, &m, kind))
			put_member(t, &l, &m, kind);
	if (kind == LINE_END)
		put_thinned(t, &l);
	size_t n = jsonl_end(&l);

	t->crc_all = crc32_of(t->crc_all, l.text, n);
	t->used += n;
	t->lines++;
	return n && at == end;
}

static bool do_line(struct thinning *t, struct line line)
{
	enum line_kind kind = line_kind(line);
	struct member member;

	if (t->ended || !line_find(line, KEY_KIND, &member) ||
		(kind == LINE_RUN) != (t->lines == 0))
		return false;
	t->ended = kind == LINE_END;
	/* A complete run is no longer complete without all of its rows. */
	t->shortened = t->ended && t->gone[LINE_ROW] && line_is(line, KEY_STATUS, "complete");
	return !keep_line(t, kind, line) || put_line(t, line, kind);
}

size_t thin(const char *text, size_t n, unsigned level, const char *why, char *out, size_t bytes)
{
	struct thinning t = { .level = level, .why = why, .out = out, .bytes = bytes };
	struct line line;

	for (const char *end = text + n; line_next(&text, end, &line);)
		if (!do_line(&t, line))
			return 0;
	return t.ended ? t.used : 0;
}
