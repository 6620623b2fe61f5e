/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/text.h"
#include "lib/thin.h"

/* What the levels leave out; lib/thin.h. */
enum { SHORT = 1, NO_WORDS = 2, NO_MORE = 3, NO_QUANTILES = 4, EVERY_SECOND = 5 };

#define DIGITS 4 /* of the numbers of a short row */

struct thinning {
	unsigned level;
	const char *why;
	char *out;
	size_t bytes, used;
	bool full, ended;
	bool shortened; /* rows of a complete run are missing */
	uint32_t crc_all;
	unsigned lines, rows, rows_gone, skips, skips_gone, summaries, summaries_gone;
	struct member probe, variant; /* of the sweep under way */
	unsigned in_sweep;
};

static void put(struct thinning *t, const char *text, size_t n)
{
	if (n > t->bytes - t->used) {
		t->full = true;
		return;
	}
	memcpy(t->out + t->used, text, n);
	t->used += n;
}

static void put_text(struct thinning *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put_text(struct thinning *t, const char *format, ...)
{
	char text[256];
	va_list args;
	int n;

	va_start(args, format);
	n = text_vformat(text, sizeof text, format, args);
	va_end(args);
	put(t, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static bool same_value(const struct member *a, const struct member *b)
{
	return a->value_bytes == b->value_bytes && memcmp(a->value, b->value, a->value_bytes) == 0;
}

/* The row's index within its sweep, from 0. */
static unsigned step_sweep(struct thinning *t, struct line line)
{
	struct member probe = { 0 }, variant = { 0 };

	line_find(line, KEY_PROBE, &probe);
	line_find(line, KEY_VARIANT, &variant);
	if (!t->probe.value || !same_value(&probe, &t->probe) || !same_value(&variant, &t->variant))
		t->in_sweep = 0;
	t->probe = probe;
	t->variant = variant;
	return t->in_sweep++;
}

static bool keep_row(struct thinning *t, struct line line)
{
	unsigned at = step_sweep(t, line);
	struct member level;

	if (t->level >= THIN_CARD)
		return false;
	if (t->level < EVERY_SECOND || line_find(line, KEY_LEVEL, &level))
		return true;
	return t->level < THIN_MOST && at % (2U << (t->level - EVERY_SECOND)) == 0;
}

/* Whether a line is kept; counts it. */
static bool keep_line(struct thinning *t, enum line_kind kind, struct line line)
{
	struct member reason;
	bool keep = true;

	if (kind == LINE_ROW) {
		keep = keep_row(t, line);
		t->rows += keep;
		t->rows_gone += !keep;
	} else if (kind == LINE_SKIP) {
		keep = t->level < SHORT;
		t->skips += keep;
		t->skips_gone += !keep;
	} else if (kind == LINE_SUMMARY) {
		keep = t->level < THIN_CARD || !line_find(line, KEY_REASON, &reason);
		t->summaries += keep;
		t->summaries_gone += !keep;
	}
	return keep;
}

static bool is_one_of(const struct member *m, const char *const *names)
{
	while (*names && !member_is(m, *names))
		names++;
	return *names;
}

/* What the card and a reader need of the lines that it is made of. */
static bool is_for_card(const struct member *m, enum line_kind kind)
{
	static const char *const run[] = { KEY_KIND, KEY_ROOM, KEY_SEQ, KEY_SCHEMA, KEY_BUILD,
		KEY_TIME_UTC, KEY_CPU, KEY_CPUS, KEY_EMULATED, KEY_HYPERVISOR, KEY_MAY_BE,
		KEY_MAY_BE_WHY, KEY_TSC_HZ, KEY_TSC_SOURCE, KEY_PROFILE, KEY_HOST, KEY_SMBIOS,
		KEY_SIBLINGS, KEY_RUN_ID, NULL };
	static const char *const summary[] = { KEY_KIND, KEY_ROOM, KEY_SEQ, KEY_NAME, KEY_UNIT,
		KEY_VALUE, KEY_LOW, KEY_HIGH, KEY_CLAIMED, KEY_CONFIDENCE, KEY_AGREES, KEY_RISE_10,
		KEY_RISE_50, KEY_RISE_90, KEY_FORM, NULL };

	return kind == LINE_RUN        ? is_one_of(m, run)
		: kind == LINE_SUMMARY ? is_one_of(m, summary)
				       : true;
}

static bool keep_member(const struct thinning *t, const struct member *m, enum line_kind kind)
{
	static const char *const little[] = { "min", "mean", "outliers", "ops", "overhead_ticks",
		"undisturbed", "at_seconds", KEY_COUNTS, NULL };
	static const char *const quantiles[] = { "p10", "p90", "p99", "max", NULL };
	bool row = kind == LINE_ROW;

	if (member_is(m, KEY_VALUES) || member_is(m, KEY_FLAGS) || member_is(m, KEY_CRC))
		return false;
	if (kind == LINE_END &&
		(member_is(m, KEY_CRC_ALL) || (t->shortened && member_is(m, KEY_STATUS))))
		return false;
	if (t->level >= NO_WORDS && (member_is(m, KEY_SAID) || member_is(m, KEY_LEVELS)))
		return false;
	if (row && t->level >= SHORT && is_one_of(m, little))
		return false;
	if (row && t->level >= NO_QUANTILES && is_one_of(m, quantiles))
		return false;
	if (t->level >= THIN_CARD && !is_for_card(m, kind))
		return false;
	return t->level < NO_MORE || !member_is(m, KEY_MORE);
}

static const char *text_bool(bool yes)
{
	return yes ? "true" : "false";
}

static void put_thinned(struct thinning *t)
{
	if (t->shortened)
		put_text(t,
			",\"" KEY_STATUS "\":\"shortened\",\"" KEY_WHY "\":\"%u rows left out %s\"",
			t->rows_gone, t->why);
	put_text(t,
		",\"" KEY_THINNED "\":{\"values\":true,\"short\":%s,\"" KEY_SAID
		"\":%s,\"more\":%s,\"quantiles\":%s,\"rows\":%u,"
		"\"skips\":%u,\"summaries\":%u,\"" KEY_WHY "\":\"%s\"}",
		text_bool(t->level >= SHORT), text_bool(t->level >= NO_WORDS),
		text_bool(t->level >= NO_MORE), text_bool(t->level >= NO_QUANTILES), t->rows_gone,
		t->skips_gone, t->summaries_gone, t->why);
	put_text(t, ",\"crc_all\":\"%08x\"", t->crc_all);
}

static void put_raw(struct thinning *t, const struct member *m)
{
	put(t, m->key - 1, (size_t)(m->value + m->value_bytes - m->key) + 1);
}

/* A number to DIGITS digits; anything else, and what is shorter anyway, as it is. */
static void put_short(struct thinning *t, const struct member *m)
{
	double v = member_number(m), size = math_abs(v);

	if (m->value_bytes <= DIGITS + 1 || !math_finite(v)) {
		put_raw(t, m);
		return;
	}
	put(t, m->key - 1, (size_t)(m->value - m->key) + 1);
	if (size >= 1e4 || size < 1)
		put_text(t, "%.3e", v);
	else if (size >= 1e3)
		put_text(t, "%.0f", v);
	else if (size >= 1e2)
		put_text(t, "%.1f", v);
	else
		put_text(t, size >= 10 ? "%.2f" : "%.3f", v);
}

/* Counts that thinning changes are written anew. */
static void put_member(struct thinning *t, const struct member *m, enum line_kind kind, bool first)
{
	bool end_line = kind == LINE_END;

	put(t, first ? "{" : ",", 1);
	if (member_is(m, KEY_SEQ))
		put_text(t, "\"" KEY_SEQ "\":%u", t->lines);
	else if (end_line && member_is(m, KEY_ROWS))
		put_text(t, "\"" KEY_ROWS "\":%u", t->rows);
	else if (end_line && member_is(m, KEY_SKIPS))
		put_text(t, "\"" KEY_SKIPS "\":%u", t->skips);
	else if (end_line && member_is(m, KEY_SUMMARIES))
		put_text(t, "\"" KEY_SUMMARIES "\":%u", t->summaries);
	else if (end_line && member_is(m, KEY_LINES))
		put_text(t, "\"" KEY_LINES "\":%u", t->lines);
	else if (kind == LINE_ROW && t->level >= SHORT)
		put_short(t, m);
	else
		put_raw(t, m);
}

/* false: the line is not a JSON object. */
static bool put_line(struct thinning *t, struct line line, enum line_kind kind)
{
	const char *at = line.text, *end = at + line.n;
	size_t start = t->used;
	struct member m;
	bool first = true;

	while (member_next(&at, end, &m)) {
		if (!keep_member(t, &m, kind))
			continue;
		put_member(t, &m, kind, first);
		first = false;
	}
	if (kind == LINE_END)
		put_thinned(t);
	put_text(t, ",\"crc\":\"%08x\"}\n", crc32_of(0, t->out + start, t->used - start));
	t->crc_all = crc32_of(t->crc_all, t->out + start, t->used - start);
	t->lines++;
	return at == end && !first;
}

static bool do_line(struct thinning *t, struct line line)
{
	enum line_kind kind = line_kind(line);
	struct member member;

	if (t->ended || !line_find(line, KEY_KIND, &member) ||
		(kind == LINE_RUN) != (t->lines == 0))
		return false;
	t->ended = kind == LINE_END;
	/* what was measured to its end is not complete without all of its rows */
	t->shortened = t->ended && t->rows_gone && line_is(line, KEY_STATUS, "complete");
	return !keep_line(t, kind, line) || put_line(t, line, kind);
}

size_t thin(const char *text, size_t n, unsigned level, const char *why, char *out, size_t bytes)
{
	struct thinning t = { .level = level, .why = why, .out = out, .bytes = bytes };
	struct line line;

	for (const char *end = text + n; line_next(&text, end, &line);)
		if (!do_line(&t, line))
			return 0;
	return t.ended && !t.full ? t.used : 0;
}
