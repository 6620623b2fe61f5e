/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/math.h"
#include "lib/qr_card.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/text.h"

#define WHOLE_MOST 1e12 /* whole numbers below are written with all digits */
#define DIGITS     7    /* of others */

struct writer {
	char *out;
	size_t bytes, used;
	bool full;
	enum qr_card_part part;
	unsigned left_out;                                                       /* summary lines */
	char name[QR_CARD_STRING], unit[QR_CARD_STRING], reason[QR_CARD_STRING]; /* the last ones */
};

static void put(struct writer *w, char c)
{
	w->full |= w->used + 1 >= w->bytes;
	if (!w->full)
		w->out[w->used++] = c;
}

static void put_text(struct writer *w, const char *text)
{
	while (*text)
		put(w, *text++);
}

static bool is_between(char c, char first, char last)
{
	return c >= first && c <= last;
}

/* As it is, escaped, or as a letter after which *capitals is as the letter is. */
static void put_character(struct writer *w, char c, bool *capitals)
{
	bool small = is_between(c, 'a', 'z'), capital = is_between(c, 'A', 'Z');
	char escape[4];

	if (small || capital) {
		if (capital != *capitals)
			put(w, QR_CARD_SHIFT);
		*capitals = capital;
		put(w, small ? (char)(c - 'a' + 'A') : c);
	} else if (is_between(c, '0', '9') || c == ' ' || c == '.' || c == '-') {
		put(w, c);
	} else {
		text_format(escape, sizeof escape, "%c%02X", QR_CARD_ESCAPE, (unsigned char)c);
		put_text(w, escape);
	}
}

static void put_string(struct writer *w, const char *s)
{
	for (bool capitals = false; *s; s++)
		put_character(w, *s, &capitals);
}

/* In a name "_" is a "-", which is shorter than its escape. */
static void put_name(struct writer *w, const char *s)
{
	for (bool capitals = false; *s; s++)
		if (*s == '_')
			put(w, '-');
		else if (*s == '-')
			put_text(w, "%2D");
		else
			put_character(w, *s, &capitals);
}

static void put_whole(struct writer *w, double v)
{
	char text[32];

	text_format(text, sizeof text, "%.0f", v);
	put_text(w, text);
}

/*
 * Cuts a number of our results, "391.544512", to DIGITS digits, but not before the point. It is cut
 * and not rounded, and does not end in a 0 or 5 that is not all: so what rounds it to fewer digits,
 * such as the card, gets those of the whole number.
 */
static void put_cut(struct writer *w, const char *at, const char *end)
{
	char text[40];
	size_t n = 0, digits = 0, decimals = 0;
	bool fraction = false, lost = false;

	for (; at < end && (*at | 32) != 'e' && n + 1 < sizeof text; at++) {
		bool digit = is_between(*at, '0', '9');

		if (digit && decimals && digits >= DIGITS) {
			lost |= *at != '0';
			continue;
		}
		digits += digit && (digits || *at != '0');
		decimals += digit && fraction;
		fraction |= *at == '.';
		text[n++] = *at;
	}
	if (lost && (text[n - 1] == '0' || text[n - 1] == '5'))
		text[n - 1]++;
	while (fraction && (text[n - 1] == '0' || text[n - 1] == '.'))
		fraction = text[--n] != '.';
	text[n] = 0;
	put_text(w, text);
	if (at == end)
		return;
	put(w, 'E');
	if (*++at == '-')
		put(w, '-');
	for (at++; at < end && *at == '0'; at++)
		;
	while (at < end)
		put(w, *at++);
}

/* Nothing where it is not known. */
static void put_number(struct writer *w, struct line l, const char *key)
{
	struct member m;

	if (!line_find(l, key, &m))
		return;
	double v = member_number(&m);

	if (!math_finite(v))
		return;
	if (math_abs(v) < WHOLE_MOST && v == (double)(int64_t)v)
		put_whole(w, v);
	else
		put_cut(w, m.value, m.value + m.value_bytes);
}

static void string_field(struct writer *w, struct line l, const char *key)
{
	char text[QR_CARD_STRING];

	line_string(l, key, text, sizeof text);
	put_string(w, text);
	put(w, QR_CARD_FIELD);
}

static void number_field(struct writer *w, struct line l, const char *key)
{
	put_number(w, l, key);
	put(w, QR_CARD_FIELD);
}

/* Empty fields at the end of a record are left out. */
static void end_record(struct writer *w)
{
	while (w->used && w->out[w->used - 1] == QR_CARD_FIELD)
		w->used--;
	put(w, QR_CARD_RECORD);
}

static void put_run(struct writer *w, struct line l)
{
	struct line cpu = line_object(l, KEY_CPU);

	string_field(w, l, KEY_ROOM);
	string_field(w, l, KEY_BUILD);
	string_field(w, l, KEY_TIME_UTC);
	string_field(w, l, KEY_PROFILE);
	string_field(w, cpu, KEY_VENDOR);
	string_field(w, cpu, KEY_BRAND);
	number_field(w, cpu, KEY_FAMILY);
	number_field(w, cpu, KEY_MODEL);
	number_field(w, cpu, KEY_STEPPING);
	number_field(w, l, KEY_CPUS);
	put_whole(w, line_is(l, KEY_EMULATED, "true"));
	put(w, QR_CARD_FIELD);
	string_field(w, l, KEY_HYPERVISOR);
	number_field(w, l, KEY_TSC_HZ);
	string_field(w, l, KEY_TSC_SOURCE);
	end_record(w);
}

size_t qr_card_stem(const char *name)
{
	size_t n = 0;

	for (size_t i = 0; name[i]; i++)
		if (name[i] == '_')
			n = i;
	return n;
}

static void name_field(struct writer *w, const char *name)
{
	size_t n = qr_card_stem(w->name);

	if (n && memcmp(name, w->name, n + 1) == 0) {
		put(w, QR_CARD_STEM);
		put_name(w, name + n + 1);
	} else {
		put_name(w, name);
	}
	put(w, QR_CARD_FIELD);
}

/* Nothing where the name's last word says it. */
static void unit_field(struct writer *w, const char *name, const char *unit)
{
	size_t n = qr_card_stem(name);

	if (strcmp(name + n + (n > 0), unit) == 0)
		;
	else if (*unit && strcmp(unit, w->unit) == 0)
		put(w, QR_CARD_SAME);
	else
		put_string(w, unit);
	put(w, QR_CARD_FIELD);
}

/* The value, or why there is none, and how sure it is, in percent. */
static void value_fields(struct writer *w, struct line l, const char *reason)
{
	double value = line_number(l, KEY_VALUE), percent = 100 * line_number(l, KEY_CONFIDENCE);

	if (math_finite(value)) {
		put_number(w, l, KEY_VALUE);
	} else {
		put(w, QR_CARD_REASON);
		if (*reason && strcmp(reason, w->reason) == 0)
			put(w, QR_CARD_SAME);
		else
			put_string(w, reason);
	}
	put(w, QR_CARD_FIELD);
	if (math_finite(value) && math_finite(percent))
		put_whole(w, percent);
	put(w, QR_CARD_FIELD);
}

/* What is claimed, and behind it whether that agrees: + or -. */
static void claim_field(struct writer *w, struct line l)
{
	struct member agrees;

	put_number(w, l, KEY_CLAIMED);
	if (line_find(l, KEY_AGREES, &agrees))
		put(w, *agrees.value == 't' ? '+' : '-');
	put(w, QR_CARD_FIELD);
}

static void put_summary(struct writer *w, struct line l)
{
	static const char *const more[] = { QR_CARD_MORE, NULL };
	char name[QR_CARD_STRING], unit[QR_CARD_STRING], reason[QR_CARD_STRING];

	line_string(l, KEY_NAME, name, sizeof name);
	line_string(l, KEY_UNIT, unit, sizeof unit);
	line_string(l, KEY_REASON, reason, sizeof reason);
	if (w->part == QR_CARD_RESOLVED && !math_finite(line_number(l, KEY_VALUE))) {
		w->left_out++;
		return;
	}
	name_field(w, name);
	unit_field(w, name, unit);
	value_fields(w, l, reason);
	claim_field(w, l);
	for (unsigned i = 0; more[i]; i++)
		number_field(w, l, more[i]);
	end_record(w);
	memcpy(w->name, name, sizeof name);
	memcpy(w->unit, unit, sizeof unit);
	if (*reason)
		memcpy(w->reason, reason, sizeof reason);
}

/* What the run had, together with what thinning has already left out. */
static void count_field(struct writer *w, struct line l, const char *key, double more)
{
	struct line thinned = line_object(l, KEY_THINNED);
	double had = line_number(thinned, key);

	put_whole(w, more + (math_finite(had) ? had : 0));
	put(w, QR_CARD_FIELD);
}

static void put_end(struct writer *w, struct line l)
{
	char status[QR_CARD_STRING];

	line_string(l, KEY_STATUS, status, sizeof status);
	bool shortened = strcmp(status, "shortened") == 0; /* it was complete, and is so no more */

	put_string(w, shortened ? "complete" : status);
	put(w, QR_CARD_FIELD);
	if (!shortened)
		string_field(w, l, KEY_WHY);
	else
		put(w, QR_CARD_FIELD);
	count_field(w, l, KEY_ROWS, line_number(l, KEY_ROWS));
	count_field(w, l, KEY_SKIPS, line_number(l, KEY_SKIPS));
	count_field(w, l, KEY_SUMMARIES, w->left_out);
	number_field(w, l, KEY_SECONDS);
	end_record(w);
}

size_t qr_card_write(const char *lines, size_t n, enum qr_card_part part, char *out, size_t bytes)
{
	struct writer w = { .out = out, .bytes = bytes, .part = part };
	enum line_kind kind = LINE_OTHER;
	struct line line;
	char crc[9];

	put_text(&w, QR_CARD_HEAD QR_CARD_VERSION);
	put(&w, QR_CARD_RECORD);
	for (const char *end = lines + n; kind != LINE_END && line_next(&lines, end, &line);) {
		kind = line_kind(line);
		if (kind == LINE_RUN)
			put_run(&w, line);
		else if (kind == LINE_SUMMARY)
			put_summary(&w, line);
		else if (kind == LINE_END)
			put_end(&w, line);
	}
	text_format(crc, sizeof crc, "%08X", crc32_of(0, out, w.used));
	put_text(&w, crc);
	if (w.full || kind != LINE_END)
		return 0;
	out[w.used] = 0;
	return w.used;
}
