/* SPDX-License-Identifier: MIT */
#include "lib/jsonl_write.h"

#include "lib/crc32.h"
#include "lib/text.h"

/* ,"crc":"01234567"}\n and the terminating NUL of the formatter. */
#define CLOSING 20

#define SMALLEST_ROUNDED 1e-12

static void put(struct jsonl *l, const char *text, size_t n)
{
	if (l->full || n + CLOSING > l->capacity - l->used) {
		l->full = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		l->text[l->used++] = text[i];
}

static void put_string(struct jsonl *l, const char *s)
{
	put(l, "\"", 1);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\') {
			put(l, "\\", 1);
			put(l, s, 1);
		} else if (c < 0x20 || c > 0x7e) {
			put(l, "?", 1);
		} else {
			put(l, s, 1);
		}
	}
	put(l, "\"", 1);
}

static void member(struct jsonl *l, const char *key)
{
	if (l->comma)
		put(l, ",", 1);
	l->comma = true;
	if (key) {
		put_string(l, key);
		put(l, ":", 1);
	}
}

void jsonl_begin(struct jsonl *l, char *buffer, size_t bytes)
{
	*l = (struct jsonl){ .text = buffer, .capacity = bytes, .full = bytes < CLOSING };
	put(l, "{", 1);
}

void jsonl_string(struct jsonl *l, const char *key, const char *value)
{
	member(l, key);
	put_string(l, value);
}

/* Returns true for a whole number that a double and an int64_t hold exactly: it has no decimals. */
static bool is_integer(double value)
{
	return value > -9e15 && value < 9e15 && value == (double)(int64_t)value;
}

/* Returns true if a number is written with six decimals, not with an exponent. */
static bool in_millionths(double size)
{
	return size >= 0.1 && size < 1e9;
}

/* The power of ten that turns a number of this size into a whole number of ten digits. */
static double ten_digits(double size)
{
	double power = 1;

	while (size * power < 1e9)
		power *= 10;
	return power;
}

double jsonl_rounded(double value)
{
	double size = value < 0 ? -value : value;

	if (is_integer(value) || !(size >= SMALLEST_ROUNDED && size < 1e9))
		return value;
	double power = in_millionths(size) ? 1e6 : ten_digits(size);
	double rounded = (double)(int64_t)(size * power + 0.5) / power;

	return value < 0 ? -rounded : rounded;
}

static void jsonl_null(struct jsonl *l, const char *key)
{
	member(l, key);
	put(l, "null", 4);
}

void jsonl_number(struct jsonl *l, const char *key, double value)
{
	double rounded = jsonl_rounded(value);
	char text[40];

	if (!(value - value == 0)) {
		jsonl_null(l, key);
		return;
	}
	member(l, key);
	if (is_integer(value))
		put(l, text, (size_t)text_format(text, sizeof text, "%lld", (long long)value));
	else if (in_millionths(value < 0 ? -value : value))
		put(l, text, (size_t)text_format(text, sizeof text, "%.6f", rounded));
	else
		put(l, text, (size_t)text_format(text, sizeof text, "%.9e", rounded));
}

void jsonl_integer(struct jsonl *l, const char *key, uint64_t value)
{
	char text[24];

	member(l, key);
	put(l, text, (size_t)text_format(text, sizeof text, "%llu", (unsigned long long)value));
}

void jsonl_bool(struct jsonl *l, const char *key, bool value)
{
	member(l, key);
	if (value)
		put(l, "true", 4);
	else
		put(l, "false", 5);
}

void jsonl_raw(struct jsonl *l, const char *key, size_t key_bytes, const char *value, size_t n)
{
	member(l, NULL);
	put(l, "\"", 1);
	put(l, key, key_bytes);
	put(l, "\":", 2);
	put(l, value, n);
}

static void open(struct jsonl *l, const char *key, char bracket)
{
	member(l, key);
	put(l, &bracket, 1);
	l->comma = false;
}

static void close(struct jsonl *l, char bracket)
{
	put(l, &bracket, 1);
	l->comma = true;
}

void jsonl_array(struct jsonl *l, const char *key)
{
	open(l, key, '[');
}

void jsonl_array_end(struct jsonl *l)
{
	close(l, ']');
}

void jsonl_object(struct jsonl *l, const char *key)
{
	open(l, key, '{');
}

void jsonl_object_end(struct jsonl *l)
{
	close(l, '}');
}

size_t jsonl_end(struct jsonl *l)
{
	if (l->full)
		return 0;
	l->used += (size_t)text_format(l->text + l->used, l->capacity - l->used,
		",\"crc\":\"%08x\"}\n", crc32_of(0, l->text, l->used));
	return l->used;
}
