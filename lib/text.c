/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>

#include "lib/math.h"
#include "lib/text.h"

#define STB_SPRINTF_IMPLEMENTATION
#define STB_SPRINTF_STATIC
#define STB_SPRINTF_NOUNALIGNED
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb/stb_sprintf.h>
#pragma GCC diagnostic pop

int text_vformat(char *out, size_t bytes, const char *format, va_list args)
{
	return stbsp_vsnprintf(out, (int)bytes, format, args);
}

int text_format(char *out, size_t bytes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = text_vformat(out, bytes, format, args);
	va_end(args);
	return n;
}

const char *text_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

void size_text(double bytes, char out[SIZE_TEXT])
{
	static const char units[] = { 'B', 'K', 'M', 'G', 'T' };
	unsigned unit = 0;

	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	bool round = bytes >= 100 || math_is_whole(bytes);

	if (unit && !math_is_whole(10 * bytes) && bytes * 1024 < 10000 &&
		math_is_whole(1024 * bytes)) {
		text_format(out, SIZE_TEXT, "%.0f%c", 1024 * bytes, units[unit - 1]);
		return;
	}

	text_format(out, SIZE_TEXT, round ? "%.0f%c" : "%.1f%c", bytes, units[unit]);
}

size_t names_first(const char *list)
{
	const char *comma = strchr(list, ',');

	return comma ? (size_t)(comma - list) : strlen(list);
}

bool names_have_bytes(const char *list, const char *name, size_t n)
{
	while (*list) {
		size_t item = names_first(list);
		if (item == n && !memcmp(list, name, n))
			return true;
		list += item + (list[item] == ',');
	}
	return false;
}

bool names_have(const char *list, const char *name)
{
	return names_have_bytes(list, name, strlen(name));
}

#define NEAR_BYTES 64 /* a longer word is near to no word */

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_dash(char c)
{
	return c == '-' || c == '_';
}

/* Levenshtein distance, one row at a time. */
static size_t distance(const char *a, size_t m, const char *b, size_t n)
{
	size_t row[NEAR_BYTES + 1];

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; i <= m; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			char x = a[i - 1], y = b[j - 1];
			size_t above = row[j], change = x != y && !(is_dash(x) && is_dash(y));

			row[j] = least_of(diagonal + change, least_of(above, row[j - 1]) + 1);
			diagonal = above;
		}
	}
	return row[n];
}

/* Returns true if two neighbouring letters have changed places, and nothing else has. */
static bool is_swapped(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (i < n && a[i] == b[i])
		i++;
	return i + 1 < n && a[i] == b[i + 1] && a[i + 1] == b[i] &&
		!memcmp(a + i + 2, b + i + 2, n - i - 2);
}

bool text_nearer(const char *word, const char *name, size_t *least)
{
	size_t m = strlen(word), n = strlen(name), common = least_of(m, n), d;

	if (m > NEAR_BYTES || n > NEAR_BYTES)
		return false;
	d = distance(word, m, name, n);
	if ((common > 2 && !memcmp(word, name, common)) || (m == n && is_swapped(word, name, n)))
		d = least_of(d, 1);
	if (d + 1 >= (*least ? *least : m / 3 + 2))
		return false;
	*least = d + 1;
	return true;
}

size_t text_clause(const char **at)
{
	const char *from = *at, *end = from;

	while (*end && !(end[0] == ';' && end[1] == ' '))
		end++;
	*at = *end ? end + 2 : end;
	return (size_t)(end - from);
}

/* The value of a hexadecimal digit; 16: it is none. */
static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

bool text_number(const char *text, unsigned base, const char **end, uint64_t *out)
{
	uint64_t value = 0;

	if (digit(*text) >= base)
		return false;
	for (; digit(*text) < base; text++)
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
			__builtin_add_overflow(value, (uint64_t)digit(*text), &value))
			return false;
	*end = text;
	*out = value;
	return true;
}

static bool is_between(char c)
{
	return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

int text_to_bytes(const char *text, unsigned char *out, size_t most)
{
	int n = 0;

	for (;;) {
		while (is_between(*text))
			text++;
		if (!*text)
			return n;
		unsigned high = digit(text[0]), low = high > 15 ? 16 : digit(text[1]);

		if (low > 15 || (text[2] && !is_between(text[2])))
			return -1;
		if ((size_t)n < most)
			out[n] = (unsigned char)(high << 4 | low);
		n++;
		text += 2;
	}
}
