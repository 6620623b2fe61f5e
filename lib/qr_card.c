/* SPDX-License-Identifier: MIT */
/*
 * The first half writes a card as records of fields (docs/format.md, "In a QR code"), the second
 * half reads it.
 */
#include <stdint.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/qr_card.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/text.h"
#include "lib/values.h"

#define FIELD  '/' /* between two fields of a record */
#define SAME   '$' /* a field: the same as in the record before */
#define STEM   '+' /* in front of a name: the stem of the name before */
#define SHIFT  '*' /* capital letters begin, or end */
#define ESCAPE '%' /* then two hexadecimal digits: a character that a QR code lacks */
#define REASON '%' /* in front of the reason why there is no value */
#define STRING 192 /* bytes for any string, with its NUL */

/* Numbers at the end of a summary's record. */
#define MORE                                                                                       \
	KEY_LOW, KEY_HIGH, KEY_RISE_10, KEY_RISE_50, KEY_RISE_90, KEY_FLOOR, KEY_DISTURBED_SHARE

#define HEAD       QR_CARD_HEAD QR_CARD_VERSION ":"
#define HEAD_BYTES (sizeof HEAD - 1)
#define CRC_DIGITS 8
#define WHY        "to fit into a QR code"
#define WHOLE_MOST 1e12 /* smaller whole numbers are written with all digits */
#define DIGITS     7    /* of numbers that are not whole */
#define SHOWN      6    /* the same, from QR_CARD_SHOWN on: the card shows no more */

struct card_writer {
	char *out;
	size_t bytes, used;
	bool full;
	enum qr_card_part part;
	unsigned digits;   /* of numbers that are not whole */
	bool roofs;        /* a stream has a second rate, for its fastest form */
	unsigned left_out; /* summary lines */
	char name[STRING], unit[STRING], reason[STRING]; /* the last that was written */
};

static void put(struct card_writer *w, char c)
{
	w->full |= w->used + 1 >= w->bytes;
	if (!w->full)
		w->out[w->used++] = c;
}

static void put_text(struct card_writer *w, const char *text)
{
	while (*text)
		put(w, *text++);
}

static bool is_between(char c, char first, char last)
{
	return c >= first && c <= last;
}

/* Write a character as it is, escaped, or, if it is a letter, with SHIFT where its case changes. */
static void put_character(struct card_writer *w, char c, bool *capitals)
{
	bool small = is_between(c, 'a', 'z'), capital = is_between(c, 'A', 'Z');
	char escape[4];

	if (small || capital) {
		if (capital != *capitals)
			put(w, SHIFT);
		*capitals = capital;
		put(w, small ? (char)(c - 'a' + 'A') : c);
	} else if (is_between(c, '0', '9') || c == ' ' || c == '.' || c == '-') {
		put(w, c);
	} else {
		text_format(escape, sizeof escape, "%c%02X", ESCAPE, (unsigned char)c);
		put_text(w, escape);
	}
}

static void put_string(struct card_writer *w, const char *s)
{
	for (bool capitals = false; *s; s++)
		put_character(w, *s, &capitals);
}

/* Write a name with "-" for "_", which is shorter than its escape. */
static void put_name(struct card_writer *w, const char *s)
{
	for (bool capitals = false; *s; s++)
		if (*s == '_')
			put(w, '-');
		else if (*s == '-')
			put_text(w, "%2D");
		else
			put_character(w, *s, &capitals);
}

static void put_whole(struct card_writer *w, double v)
{
	char text[32];

	text_format(text, sizeof text, "%.0f", v);
	put_text(w, text);
}

/*
 * Cut a number of our results, "391.544512", to DIGITS digits, but not before the point. It is cut,
 * not rounded, and if digits were lost it does not end in 0 or 5: so rounding it to fewer digits,
 * as the card does, gives the same as rounding the whole number.
 */
static void put_cut(struct card_writer *w, const char *at, const char *end)
{
	char text[40];
	size_t n = 0, digits = 0, decimals = 0;
	bool fraction = false, lost = false;

	for (; at < end && (*at | 32) != 'e' && n + 1 < sizeof text; at++) {
		bool digit = is_between(*at, '0', '9');

		if (digit && decimals && digits >= w->digits) {
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

/* Write the number; nothing if it is not known. */
static void put_number(struct card_writer *w, struct line l, const char *key)
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

static void string_field(struct card_writer *w, struct line l, const char *key)
{
	char text[STRING];

	line_string(l, key, text, sizeof text);
	put_string(w, text);
	put(w, FIELD);
}

static void number_field(struct card_writer *w, struct line l, const char *key)
{
	put_number(w, l, key);
	put(w, FIELD);
}

/* End a record, without the empty fields at its end. */
static void end_record(struct card_writer *w)
{
	while (w->used && w->out[w->used - 1] == FIELD)
		w->used--;
	put(w, QR_CARD_RECORD);
}

static void put_run(struct card_writer *w, struct line l)
{
	struct line cpu = line_object(l, KEY_CPU), smbios = line_object(l, KEY_SMBIOS);

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
	put(w, FIELD);
	string_field(w, l, KEY_HYPERVISOR);
	number_field(w, l, KEY_TSC_HZ);
	string_field(w, l, KEY_TSC_SOURCE);
	string_field(w, l, KEY_MAY_BE);
	string_field(w, l, KEY_SIBLINGS);
	string_field(w, smbios, KEY_MODULES);
	number_field(w, smbios, KEY_MODULES_GBS);
	end_record(w);
}

/* Bytes of a name before its last word and the "_" there; 0: it has one word. */
static size_t stem_bytes(const char *name)
{
	size_t n = 0;

	for (size_t i = 0; name[i]; i++)
		if (name[i] == '_')
			n = i;
	return n;
}

static void name_field(struct card_writer *w, const char *name)
{
	size_t n = stem_bytes(w->name);

	if (n && memcmp(name, w->name, n + 1) == 0) {
		put(w, STEM);
		put_name(w, name + n + 1);
	} else {
		put_name(w, name);
	}
	put(w, FIELD);
}

/* Write the unit; nothing if the name's last word is the unit. */
static void unit_field(struct card_writer *w, const char *name, const char *unit)
{
	size_t n = stem_bytes(name);

	if (strcmp(name + n + (n > 0), unit) == 0)
		;
	else if (*unit && strcmp(unit, w->unit) == 0)
		put(w, SAME);
	else
		put_string(w, unit);
	put(w, FIELD);
}

/* Write the value, or why there is none, and its confidence in percent. */
static void value_fields(struct card_writer *w, struct line l, const char *reason)
{
	double value = line_number(l, KEY_VALUE), percent = 100 * line_number(l, KEY_CONFIDENCE);

	if (math_finite(value)) {
		put_number(w, l, KEY_VALUE);
	} else {
		put(w, REASON);
		if (*reason && strcmp(reason, w->reason) == 0)
			put(w, SAME);
		else
			put_string(w, reason);
	}
	put(w, FIELD);
	if (math_finite(value) && math_finite(percent))
		put_whole(w, percent);
	put(w, FIELD);
}

/* Write the claimed value, and after it + or - if it agrees or not. */
static void claim_field(struct card_writer *w, struct line l)
{
	struct member agrees;

	put_number(w, l, KEY_CLAIMED);
	if (line_find(l, KEY_AGREES, &agrees))
		put(w, *agrees.value == 't' ? '+' : '-');
	put(w, FIELD);
}

static bool begins(const char *name, const char *how)
{
	size_t n = strlen(how);

	return strlen(name) >= n && memcmp(name, how, n) == 0;
}

static bool has_part(const char *name, const char *part)
{
	for (; *name; name++)
		if (begins(name, part))
			return true;
	return false;
}

/*
 * Returns true if the card shows the value, if `anechoic check` judges by it, or if this version
 * does not know it.
 */
static bool is_shown(const struct card_writer *w, const char *name)
{
	enum value_id id = value_by_name(name);

	if (id && id < VALUE_noise_gaps_above && !value_facts(id).line)
		return false;
	return !w->roofs || !has_part(name, "_bytes_per_cycle_");
}

/* Returns true if the name of a value has that part. */
static bool any_has_part(const char *lines, size_t n, const char *part)
{
	char name[STRING];
	struct line line;

	for (const char *end = lines + n; line_next(&lines, end, &line);)
		if (line_kind(line) == LINE_SUMMARY &&
			line_string(line, KEY_NAME, name, sizeof name) && has_part(name, part))
			return true;
	return false;
}

static void put_summary(struct card_writer *w, struct line l)
{
	static const char *const more[] = { MORE, NULL };
	char name[STRING], unit[STRING], reason[STRING];

	line_string(l, KEY_NAME, name, sizeof name);
	line_string(l, KEY_UNIT, unit, sizeof unit);
	line_string(l, KEY_REASON, reason, sizeof reason);
	if ((w->part == QR_CARD_RESOLVED && !math_finite(line_number(l, KEY_VALUE))) ||
		(w->part >= QR_CARD_SHOWN && !is_shown(w, name))) {
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

/* Write the run's count, together with the number that thinning has left out. */
static void count_field(struct card_writer *w, struct line l, const char *key, double more)
{
	struct line thinned = line_object(l, KEY_THINNED);
	double had = line_number(thinned, key);

	put_whole(w, more + (math_finite(had) ? had : 0));
	put(w, FIELD);
}

static void put_end(struct card_writer *w, struct line l)
{
	char status[STRING];

	line_string(l, KEY_STATUS, status, sizeof status);
	bool shortened = strcmp(status, "shortened") == 0; /* it was complete before thinning */

	put_string(w, shortened ? "complete" : status);
	put(w, FIELD);
	if (!shortened)
		string_field(w, l, KEY_WHY);
	else
		put(w, FIELD);
	count_field(w, l, KEY_ROWS, line_number(l, KEY_ROWS));
	count_field(w, l, KEY_SKIPS, line_number(l, KEY_SKIPS));
	count_field(w, l, KEY_SUMMARIES, w->left_out);
	number_field(w, l, KEY_SECONDS);
	end_record(w);
}

size_t qr_card_write(const char *lines, size_t n, enum qr_card_part part, char *out, size_t bytes)
{
	struct card_writer w = { .out = out,
		.bytes = bytes,
		.part = part,
		.digits = part == QR_CARD_WHOLE ? DIGITS : SHOWN,
		.roofs = any_has_part(lines, n, "_roof_") };
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

const char *qr_of_card(struct qr *q, const char *lines, size_t n, bool *left_out)
{
	static char text[QR_CARD_TEXT];

	for (enum qr_card_part part = QR_CARD_WHOLE; part <= QR_CARD_RESOLVED; part++) {
		size_t length = qr_card_write(lines, n, part, text, sizeof text);

		*left_out = part == QR_CARD_RESOLVED;
		if (length && qr_encode(q, text, length, CARD_CODE_VERSION))
			return NULL;
	}
	return n ? "it has no end, or more than a QR code holds" : "nothing was measured";
}

/* A part of the text that has not been read. */
struct rest {
	const char *at, *end;
};

struct card_reader {
	char *out;
	size_t bytes, used;
	bool wrong; /* the text is malformed */
	bool full;
	unsigned seq, summaries;
	uint32_t crc_all;
	char room[STRING];
	char name[STRING], unit[STRING], reason[STRING]; /* the last that was read */
	struct jsonl line;
};

/* The text up to the next separator, which is skipped; at the end the rest is empty. */
static struct rest next(struct rest *r, char separator)
{
	struct rest part = { r->at, r->at };

	while (part.end < r->end && *part.end != separator)
		part.end++;
	r->at = part.end < r->end ? part.end + 1 : r->end;
	return part;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Read an escape: return its character, and skip its two digits; 0: it is not printable. */
static char escaped(struct rest *r)
{
	int high = r->end - r->at >= 2 ? hex_digit(r->at[0]) : -1;
	int low = high >= 0 ? hex_digit(r->at[1]) : -1, c = 16 * high + low;

	if (low < 0 || c < 0x20 || c > 0x7e)
		return 0;
	r->at += 2;
	return (char)c;
}

/* Read a text. dash: the character that "-" stands for. */
static void read_text(struct card_reader *in, struct rest r, char dash, char *out, size_t bytes)
{
	bool capitals = false;
	size_t n = 0;

	while (r.at < r.end) {
		char c = *r.at++;

		if (c == SHIFT) {
			capitals = !capitals;
			continue;
		}
		if (c == ESCAPE)
			c = escaped(&r);
		else if (c >= 'A' && c <= 'Z' && !capitals)
			c = (char)(c - 'A' + 'a');
		else if (c == '-')
			c = dash;
		if (c < 0x20 || c > 0x7e || n + 1 >= bytes) {
			in->wrong = true;
			break;
		}
		out[n++] = c;
	}
	out[n] = 0;
}

static void string_of(struct card_reader *in, struct rest field, char out[STRING])
{
	read_text(in, field, '-', out, STRING);
}

static bool is_one(struct rest r, char c)
{
	return r.end - r.at == 1 && *r.at == c;
}

/* The number in a field; NOT_A_NUMBER if the field is empty. */
static double number_of(struct card_reader *in, struct rest field)
{
	size_t n = (size_t)(field.end - field.at);
	struct member m = { .value = field.at, .value_bytes = n };

	if (!n)
		return NOT_A_NUMBER;
	for (size_t i = 0; i < n; i++)
		in->wrong |= !field.at[i] || !strchr("0123456789.-E", field.at[i]);
	double v = member_number(&m);
	in->wrong |= !math_finite(v);
	return v;
}

static struct jsonl *begin(struct card_reader *in, const char *kind)
{
	struct jsonl *l = &in->line;

	jsonl_begin(l, in->out + in->used, in->bytes - in->used);
	jsonl_string(l, KEY_KIND, kind);
	jsonl_string(l, KEY_ROOM, in->room);
	jsonl_integer(l, KEY_SEQ, in->seq++);
	return l;
}

static void finish(struct card_reader *in)
{
	size_t n = jsonl_end(&in->line);

	in->full |= !n;
	in->crc_all = crc32_of(in->crc_all, in->out + in->used, n);
	in->used += n;
}

static void give_string(struct card_reader *in, struct rest *r, const char *key)
{
	char text[STRING];

	string_of(in, next(r, FIELD), text);
	if (*text)
		jsonl_string(&in->line, key, text);
}

static void give_number(struct card_reader *in, struct rest *r, const char *key)
{
	double v = number_of(in, next(r, FIELD));

	if (math_finite(v))
		jsonl_number(&in->line, key, v);
}

static void read_run(struct card_reader *in, struct rest r)
{
	char text[STRING];

	string_of(in, next(&r, FIELD), in->room);
	struct jsonl *l = begin(in, KIND_RUN);
	jsonl_string(l, KEY_SCHEMA, RESULT_SCHEMA);
	give_string(in, &r, KEY_BUILD);
	give_string(in, &r, KEY_TIME_UTC);
	give_string(in, &r, KEY_PROFILE);
	jsonl_object(l, KEY_CPU);
	give_string(in, &r, KEY_VENDOR);
	give_string(in, &r, KEY_BRAND);
	give_number(in, &r, KEY_FAMILY);
	give_number(in, &r, KEY_MODEL);
	give_number(in, &r, KEY_STEPPING);
	jsonl_object_end(l);
	give_number(in, &r, KEY_CPUS);
	jsonl_bool(l, KEY_EMULATED, number_of(in, next(&r, FIELD)) != 0);
	string_of(in, next(&r, FIELD), text);
	jsonl_string(l, KEY_HYPERVISOR, text);
	give_number(in, &r, KEY_TSC_HZ);
	give_string(in, &r, KEY_TSC_SOURCE);
	give_string(in, &r, KEY_MAY_BE);
	give_string(in, &r, KEY_SIBLINGS);
	jsonl_object(l, KEY_SMBIOS);
	give_string(in, &r, KEY_MODULES);
	give_number(in, &r, KEY_MODULES_GBS);
	jsonl_object_end(l);
	finish(in);
}

static void read_name(struct card_reader *in, struct rest field)
{
	size_t kept = 0;

	if (field.at < field.end && *field.at == STEM) {
		kept = stem_bytes(in->name) + 1;
		in->wrong |= kept == 1;
		field.at++;
	}
	read_text(in, field, '_', in->name + kept, sizeof in->name - kept);
}

static void read_unit(struct card_reader *in, struct rest field)
{
	size_t n = stem_bytes(in->name);

	if (field.at == field.end)
		memmove(in->unit, in->name + n + (n > 0), strlen(in->name + n + (n > 0)) + 1);
	else if (!is_one(field, SAME))
		string_of(in, field, in->unit);
}

static void read_reason(struct card_reader *in, struct rest field)
{
	field.at++;
	if (!is_one(field, SAME))
		string_of(in, field, in->reason);
}

static void put_claim(struct card_reader *in, struct rest field)
{
	char last = field.at < field.end ? field.end[-1] : 0;
	bool says = last == '+' || last == '-';

	field.end -= says;
	jsonl_number(&in->line, KEY_CLAIMED, number_of(in, field));
	if (says)
		jsonl_bool(&in->line, KEY_AGREES, last == '+');
}

static void read_summary(struct card_reader *in, struct rest r)
{
	static const char *const more[] = { MORE, NULL };
	struct jsonl *l = begin(in, KIND_SUMMARY);

	read_name(in, next(&r, FIELD));
	read_unit(in, next(&r, FIELD));
	struct rest value = next(&r, FIELD), percent = next(&r, FIELD);
	bool open = value.at < value.end && *value.at == REASON;

	jsonl_string(l, KEY_NAME, in->name);
	jsonl_number(l, KEY_VALUE, open ? NOT_A_NUMBER : number_of(in, value));
	jsonl_string(l, KEY_UNIT, in->unit);
	put_claim(in, next(&r, FIELD));
	jsonl_number(l, KEY_CONFIDENCE, open ? 0 : number_of(in, percent) / 100);
	for (unsigned i = 0; more[i]; i++)
		give_number(in, &r, more[i]);
	if (open) {
		read_reason(in, value);
		jsonl_string(l, KEY_REASON, in->reason);
	}
	in->summaries++;
	finish(in);
}

static double read_count(struct card_reader *in, struct rest *r)
{
	double v = number_of(in, next(r, FIELD));

	return math_finite(v) ? v : 0;
}

static void put_status(struct card_reader *in, const char *status, const char *why, double rows)
{
	char text[64];
	bool shortened = rows > 0 && strcmp(status, "complete") == 0;

	text_format(text, sizeof text, "%.0f rows left out " WHY, rows);
	jsonl_string(&in->line, KEY_STATUS, shortened ? "shortened" : status);
	if (shortened)
		jsonl_string(&in->line, KEY_WHY, text);
	else if (*why)
		jsonl_string(&in->line, KEY_WHY, why);
}

static void put_thinned(struct jsonl *l, double rows, double skips, double summaries)
{
	jsonl_object(l, KEY_THINNED);
	jsonl_bool(l, KEY_VALUES, true);
	jsonl_bool(l, "short", true);
	jsonl_bool(l, KEY_SAID, true);
	jsonl_bool(l, KEY_MORE, true);
	jsonl_bool(l, "quantiles", true);
	jsonl_number(l, KEY_ROWS, rows);
	jsonl_number(l, KEY_SKIPS, skips);
	jsonl_number(l, KEY_SUMMARIES, summaries);
	jsonl_string(l, KEY_WHY, WHY);
	jsonl_object_end(l);
}

static void read_end(struct card_reader *in, struct rest r)
{
	char status[STRING], why[STRING], crc[9];

	string_of(in, next(&r, FIELD), status);
	string_of(in, next(&r, FIELD), why);
	double rows = read_count(in, &r), skips = read_count(in, &r),
	       summaries = read_count(in, &r);
	unsigned lines = in->seq;
	struct jsonl *l = begin(in, KIND_END);

	put_status(in, status, why, rows);
	jsonl_integer(l, KEY_ROWS, 0);
	jsonl_integer(l, KEY_SUMMARIES, in->summaries);
	jsonl_integer(l, KEY_SKIPS, 0);
	jsonl_integer(l, KEY_LINES, lines);
	give_number(in, &r, KEY_SECONDS);
	put_thinned(l, rows, skips, summaries);
	text_format(crc, sizeof crc, "%08x", in->crc_all);
	jsonl_string(l, KEY_CRC_ALL, crc);
	finish(in);
}

bool qr_card_is(const char *text, size_t n)
{
	return n >= sizeof QR_CARD_HEAD - 1 &&
		memcmp(text, QR_CARD_HEAD, sizeof QR_CARD_HEAD - 1) == 0;
}

/*
 * Check and cut off the frame; the rest then ends with its last record. Returns NULL, or why the
 * text cannot be read.
 */
static const char *check_rest(struct rest *r)
{
	char crc[CRC_DIGITS + 1];

	while (r->at < r->end && (unsigned char)r->end[-1] <= ' ')
		r->end--;
	size_t n = (size_t)(r->end - r->at);
	if (!qr_card_is(r->at, n))
		return "it is not the text of an anechoic code";
	if (n < HEAD_BYTES || memcmp(r->at, HEAD, HEAD_BYTES) != 0)
		return "it is of another version";
	if (n < HEAD_BYTES + CRC_DIGITS)
		return "it is cut";
	r->end -= CRC_DIGITS;
	text_format(crc, sizeof crc, "%08X", crc32_of(0, r->at, (size_t)(r->end - r->at)));
	if (memcmp(crc, r->end, CRC_DIGITS) != 0)
		return "it is cut or changed: its check sum is wrong";
	r->at += HEAD_BYTES;
	return NULL;
}

const char *qr_card_read(const char *text, size_t n, char *out, size_t bytes, size_t *length)
{
	struct card_reader in = { .out = out, .bytes = bytes };
	struct rest r = { text, text + n };
	const char *why = check_rest(&r);
	unsigned records = 0;

	if (why)
		return why;
	for (; r.at < r.end && !in.wrong && !in.full; records++) {
		struct rest record = next(&r, QR_CARD_RECORD);

		if (!records)
			read_run(&in, record);
		else if (r.at < r.end)
			read_summary(&in, record);
		else
			read_end(&in, record);
	}
	*length = in.used;
	if (in.full)
		return "it is longer than any of this program";
	return in.wrong || records < 2 ? "its check sum is right, but not what it says" : NULL;
}
