/* SPDX-License-Identifier: MIT */
#include "probes/json.h"

#include "probes/crc32.h"
#include "probes/text.h"

/* ,"crc":"01234567"}\n and the terminating NUL of the formatter. */
#define CLOSING 20

static void put(struct json *j, const char *text, size_t n)
{
	if (j->full || n + CLOSING > j->room - j->used) {
		j->full = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		j->text[j->used++] = text[i];
}

static void put_string(struct json *j, const char *s)
{
	put(j, "\"", 1);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\') {
			put(j, "\\", 1);
			put(j, s, 1);
		} else if (c < 0x20 || c > 0x7e) {
			put(j, "?", 1);
		} else {
			put(j, s, 1);
		}
	}
	put(j, "\"", 1);
}

static void member(struct json *j, const char *key)
{
	if (j->comma)
		put(j, ",", 1);
	j->comma = true;
	if (key) {
		put_string(j, key);
		put(j, ":", 1);
	}
}

void json_begin(struct json *j, char *buffer, size_t bytes)
{
	*j = (struct json){ .text = buffer, .room = bytes, .full = bytes < CLOSING };
	put(j, "{", 1);
}

void json_string(struct json *j, const char *key, const char *value)
{
	member(j, key);
	put_string(j, value);
}

static bool whole(double value)
{
	return value > -9e15 && value < 9e15 && value == (double)(int64_t)value;
}

void json_number(struct json *j, const char *key, double value)
{
	char text[40];

	if (!(value - value == 0)) {
		json_null(j, key);
		return;
	}
	member(j, key);
	if (whole(value))
		put(j, text, (size_t)text_format(text, sizeof text, "%lld", (long long)value));
	else if (value > -1e9 && value < 1e9 && (value > 1e-3 || value < -1e-3))
		put(j, text, (size_t)text_format(text, sizeof text, "%.6f", value));
	else
		put(j, text, (size_t)text_format(text, sizeof text, "%.9e", value));
}

void json_integer(struct json *j, const char *key, uint64_t value)
{
	char text[24];

	member(j, key);
	put(j, text, (size_t)text_format(text, sizeof text, "%llu", (unsigned long long)value));
}

void json_bool(struct json *j, const char *key, bool value)
{
	member(j, key);
	if (value)
		put(j, "true", 4);
	else
		put(j, "false", 5);
}

void json_null(struct json *j, const char *key)
{
	member(j, key);
	put(j, "null", 4);
}

static void open(struct json *j, const char *key, char bracket)
{
	member(j, key);
	put(j, &bracket, 1);
	j->comma = false;
}

static void close(struct json *j, char bracket)
{
	put(j, &bracket, 1);
	j->comma = true;
}

void json_array(struct json *j, const char *key)
{
	open(j, key, '[');
}

void json_array_end(struct json *j)
{
	close(j, ']');
}

void json_object(struct json *j, const char *key)
{
	open(j, key, '{');
}

void json_object_end(struct json *j)
{
	close(j, '}');
}

size_t json_line_end(struct json *j)
{
	if (j->full)
		return 0;
	j->used += (size_t)text_format(j->text + j->used, j->room - j->used, ",\"crc\":\"%08x\"}\n",
		crc32_of(0, j->text, j->used));
	return j->used;
}
