/* SPDX-License-Identifier: MIT */
#include "probes/line.h"

#include "probes/crc32.h"
#include "probes/text.h"

/* ,"crc":"01234567"}\n and the terminating NUL of the formatter. */
#define CLOSING 20

static void put(struct line *l, const char *text, size_t n)
{
	if (l->full || n + CLOSING > l->room - l->used) {
		l->full = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		l->text[l->used++] = text[i];
}

static void put_string(struct line *l, const char *s)
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

static void member(struct line *l, const char *key)
{
	if (l->comma)
		put(l, ",", 1);
	l->comma = true;
	if (key) {
		put_string(l, key);
		put(l, ":", 1);
	}
}

void line_begin(struct line *l, char *buffer, size_t bytes)
{
	*l = (struct line){ .text = buffer, .room = bytes, .full = bytes < CLOSING };
	put(l, "{", 1);
}

void line_string(struct line *l, const char *key, const char *value)
{
	member(l, key);
	put_string(l, value);
}

static bool whole(double value)
{
	return value > -9e15 && value < 9e15 && value == (double)(int64_t)value;
}

void line_number(struct line *l, const char *key, double value)
{
	char text[40];

	if (!(value - value == 0)) {
		line_null(l, key);
		return;
	}
	member(l, key);
	if (whole(value))
		put(l, text, (size_t)text_format(text, sizeof text, "%lld", (long long)value));
	else if (value > -1e9 && value < 1e9 && (value > 1e-3 || value < -1e-3))
		put(l, text, (size_t)text_format(text, sizeof text, "%.6f", value));
	else
		put(l, text, (size_t)text_format(text, sizeof text, "%.9e", value));
}

void line_integer(struct line *l, const char *key, uint64_t value)
{
	char text[24];

	member(l, key);
	put(l, text, (size_t)text_format(text, sizeof text, "%llu", (unsigned long long)value));
}

void line_bool(struct line *l, const char *key, bool value)
{
	member(l, key);
	if (value)
		put(l, "true", 4);
	else
		put(l, "false", 5);
}

void line_null(struct line *l, const char *key)
{
	member(l, key);
	put(l, "null", 4);
}

static void open(struct line *l, const char *key, char bracket)
{
	member(l, key);
	put(l, &bracket, 1);
	l->comma = false;
}

static void close(struct line *l, char bracket)
{
	put(l, &bracket, 1);
	l->comma = true;
}

void line_array(struct line *l, const char *key)
{
	open(l, key, '[');
}

void line_array_end(struct line *l)
{
	close(l, ']');
}

void line_object(struct line *l, const char *key)
{
	open(l, key, '{');
}

void line_object_end(struct line *l)
{
	close(l, '}');
}

size_t line_end(struct line *l)
{
	if (l->full)
		return 0;
	l->used += (size_t)text_format(l->text + l->used, l->room - l->used, ",\"crc\":\"%08x\"}\n",
		crc32_of(0, l->text, l->used));
	return l->used;
}
