/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/qr_card.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/text.h"

#define HEAD       QR_CARD_HEAD QR_CARD_VERSION ":"
#define HEAD_BYTES (sizeof HEAD - 1)
#define CRC_DIGITS 8
#define WHY        "to fit into a QR code"

/* A part of the text that is not read yet. */
struct rest {
	const char *at, *end;
};

struct reader {
	char *out;
	size_t bytes, used;
	bool wrong; /* something is not as it is written */
	bool full;
	unsigned seq, summaries;
	uint32_t crc_all;
	char room[QR_CARD_STRING];
	char name[QR_CARD_STRING], unit[QR_CARD_STRING], reason[QR_CARD_STRING]; /* the last ones */
	struct jsonl line;
};

/* Up to the next separator, which is passed over; what is left is empty at the end. */
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

/* The character of an escape, whose two digits are passed over; 0: it is none that prints. */
static char escaped(struct rest *r)
{
	int high = r->end - r->at >= 2 ? hex_digit(r->at[0]) : -1;
	int low = high >= 0 ? hex_digit(r->at[1]) : -1, c = 16 * high + low;

	if (low < 0 || c < 0x20 || c > 0x7e)
		return 0;
	r->at += 2;
	return (char)c;
}

/* dash: what a "-" stands for. */
static void read_text(struct reader *in, struct rest r, char dash, char *out, size_t bytes)
{
	bool capitals = false;
	size_t n = 0;

	while (r.at < r.end) {
		char c = *r.at++;

		if (c == QR_CARD_SHIFT) {
			capitals = !capitals;
			continue;
		}
		if (c == QR_CARD_ESCAPE)
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

static void string_of(struct reader *in, struct rest field, char out[QR_CARD_STRING])
{
	read_text(in, field, '-', out, QR_CARD_STRING);
}

static bool is_one(struct rest r, char c)
{
	return r.end - r.at == 1 && *r.at == c;
}

/* Not a number where the field is empty. */
static double number_of(struct reader *in, struct rest field)
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

static struct jsonl *begin(struct reader *in, const char *kind)
{
	struct jsonl *l = &in->line;

	jsonl_begin(l, in->out + in->used, in->bytes - in->used);
	jsonl_string(l, KEY_KIND, kind);
	jsonl_string(l, KEY_ROOM, in->room);
	jsonl_integer(l, KEY_SEQ, in->seq++);
	return l;
}

static void finish(struct reader *in)
{
	size_t n = jsonl_end(&in->line);

	in->full |= !n;
	in->crc_all = crc32_of(in->crc_all, in->out + in->used, n);
	in->used += n;
}

static void put_string(struct reader *in, struct rest *r, const char *key)
{
	char text[QR_CARD_STRING];

	string_of(in, next(r, QR_CARD_FIELD), text);
	if (*text)
		jsonl_string(&in->line, key, text);
}

static void put_number(struct reader *in, struct rest *r, const char *key)
{
	double v = number_of(in, next(r, QR_CARD_FIELD));

	if (math_finite(v))
		jsonl_number(&in->line, key, v);
}

static void read_run(struct reader *in, struct rest r)
{
	char text[QR_CARD_STRING];

	string_of(in, next(&r, QR_CARD_FIELD), in->room);
	struct jsonl *l = begin(in, KIND_RUN);
	jsonl_string(l, KEY_SCHEMA, RESULT_SCHEMA);
	put_string(in, &r, KEY_BUILD);
	put_string(in, &r, KEY_TIME_UTC);
	put_string(in, &r, KEY_PROFILE);
	jsonl_object(l, KEY_CPU);
	put_string(in, &r, KEY_VENDOR);
	put_string(in, &r, KEY_BRAND);
	put_number(in, &r, KEY_FAMILY);
	put_number(in, &r, KEY_MODEL);
	put_number(in, &r, KEY_STEPPING);
	jsonl_object_end(l);
	put_number(in, &r, KEY_CPUS);
	jsonl_bool(l, KEY_EMULATED, number_of(in, next(&r, QR_CARD_FIELD)) != 0);
	string_of(in, next(&r, QR_CARD_FIELD), text);
	jsonl_string(l, KEY_HYPERVISOR, text);
	put_number(in, &r, KEY_TSC_HZ);
	put_string(in, &r, KEY_TSC_SOURCE);
	finish(in);
}

static void read_name(struct reader *in, struct rest field)
{
	size_t kept = 0;

	if (field.at < field.end && *field.at == QR_CARD_STEM) {
		kept = qr_card_stem(in->name) + 1;
		in->wrong |= kept == 1;
		field.at++;
	}
	read_text(in, field, '_', in->name + kept, sizeof in->name - kept);
}

static void read_unit(struct reader *in, struct rest field)
{
	size_t n = qr_card_stem(in->name);

	if (field.at == field.end)
		memmove(in->unit, in->name + n + (n > 0), strlen(in->name + n + (n > 0)) + 1);
	else if (!is_one(field, QR_CARD_SAME))
		string_of(in, field, in->unit);
}

static void read_reason(struct reader *in, struct rest field)
{
	field.at++;
	if (!is_one(field, QR_CARD_SAME))
		string_of(in, field, in->reason);
}

static void put_claim(struct reader *in, struct rest field)
{
	char last = field.at < field.end ? field.end[-1] : 0;
	bool says = last == '+' || last == '-';

	field.end -= says;
	jsonl_number(&in->line, KEY_CLAIMED, number_of(in, field));
	if (says)
		jsonl_bool(&in->line, KEY_AGREES, last == '+');
}

static void read_summary(struct reader *in, struct rest r)
{
	static const char *const more[] = { QR_CARD_MORE, NULL };
	struct jsonl *l = begin(in, KIND_SUMMARY);

	read_name(in, next(&r, QR_CARD_FIELD));
	read_unit(in, next(&r, QR_CARD_FIELD));
	struct rest value = next(&r, QR_CARD_FIELD), percent = next(&r, QR_CARD_FIELD);
	bool open = value.at < value.end && *value.at == QR_CARD_REASON;

	jsonl_string(l, KEY_NAME, in->name);
	jsonl_number(l, KEY_VALUE, open ? NOT_A_NUMBER : number_of(in, value));
	jsonl_string(l, KEY_UNIT, in->unit);
	put_claim(in, next(&r, QR_CARD_FIELD));
	jsonl_number(l, KEY_CONFIDENCE, open ? 0 : number_of(in, percent) / 100);
	for (unsigned i = 0; more[i]; i++)
		put_number(in, &r, more[i]);
	if (open) {
		read_reason(in, value);
		jsonl_string(l, KEY_REASON, in->reason);
	}
	in->summaries++;
	finish(in);
}

static double count(struct reader *in, struct rest *r)
{
	double v = number_of(in, next(r, QR_CARD_FIELD));

	return math_finite(v) ? v : 0;
}

static void put_status(struct reader *in, const char *status, const char *why, double rows)
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

static void read_end(struct reader *in, struct rest r)
{
	char status[QR_CARD_STRING], why[QR_CARD_STRING], crc[9];

	string_of(in, next(&r, QR_CARD_FIELD), status);
	string_of(in, next(&r, QR_CARD_FIELD), why);
	double rows = count(in, &r), skips = count(in, &r), summaries = count(in, &r);
	unsigned lines = in->seq;
	struct jsonl *l = begin(in, KIND_END);

	put_status(in, status, why, rows);
	jsonl_integer(l, KEY_ROWS, 0);
	jsonl_integer(l, KEY_SUMMARIES, in->summaries);
	jsonl_integer(l, KEY_SKIPS, 0);
	jsonl_integer(l, KEY_LINES, lines);
	put_number(in, &r, KEY_SECONDS);
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

/* NULL, or why the text cannot be read; it ends with its last record otherwise. */
static const char *check(struct rest *r)
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
	struct reader in = { .out = out, .bytes = bytes };
	struct rest r = { text, text + n };
	const char *why = check(&r);
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
