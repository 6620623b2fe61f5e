/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "lib/settings.h"
#include "lib/text.h"

static const struct setting *find(const struct setting *table, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(table[i].name, key) == 0)
			return &table[i];
	return NULL;
}

/* The key of the table nearest to a misspelt one; NULL: none is near. */
static const char *nearest(const struct setting *table, size_t n, const char *key)
{
	const char *name = NULL;
	size_t least = 0;

	for (size_t i = 0; i < n; i++)
		if (text_nearer(key, table[i].name, &least))
			name = table[i].name;
	return name;
}

/* text_number, with "0x1f" for base 16. */
static bool read_number(const char *text, const char **end, uint64_t *out)
{
	bool hex = text[0] == '0' && (text[1] | 32) == 'x';

	return text_number(hex ? text + 2 : text, hex ? 16 : 10, end, out);
}

static bool read_suffix(const char **p, uint64_t *value)
{
	static const char letters[] = "kmg";
	const char *which = **p ? strchr(letters, **p | 32) : NULL;

	if (!which)
		return true;
	(*p)++;
	return !__builtin_mul_overflow(*value, 1ULL << (10 * (which - letters + 1)), value);
}

/* Write "a|b|c" as "a, b, c". */
static void list_choices(char *out, size_t bytes, const char *choices)
{
	size_t used = 0;

	for (; *choices && used + 3 < bytes; choices++) {
		out[used++] = *choices == '|' ? ',' : *choices;
		if (*choices == '|')
			out[used++] = ' ';
	}
	out[used] = 0;
}

/* Returns true if the value is one of the words of s->choices, and sets *out. */
static bool find_choice(const struct setting *s, uint64_t *out, const char *value)
{
	size_t n = strlen(value), index = 0;

	for (const char *p = s->choices; p; index++) {
		const char *bar = strchr(p, '|');
		size_t length = bar ? (size_t)(bar - p) : strlen(p);

		if (n > 0 && n == length && memcmp(p, value, n) == 0) {
			*out = s->values ? s->values[index] : index;
			return true;
		}
		p = bar ? bar + 1 : NULL;
	}
	return false;
}

static int set_choice(const struct setting *s, uint64_t *out, const char *value, char *err,
	size_t err_bytes)
{
	char list[160];

	if (find_choice(s, out, value))
		return 0;
	list_choices(list, sizeof list, s->choices);
	text_format(err, err_bytes, "%s = '%.40s': must be one of %s", s->name, value, list);
	return -1;
}

static int set_number(const struct setting *s, uint64_t *out, const char *value, char *err,
	size_t err_bytes)
{
	uint64_t number;
	const char *end;
	if (find_choice(s, out, value))
		return 0;
	bool ok = read_number(value, &end, &number);

	if (ok && s->kind == SETTING_SIZE)
		ok = read_suffix(&end, &number);
	if (!ok || *end) {
		text_format(err, err_bytes, "%s = '%.40s': must be a number%s%s", s->name, value,
			s->kind == SETTING_SIZE ? " of bytes, with an optional k, m or g" : "",
			s->choices ? ", or a word of the key" : "");
		return -1;
	}
	if (number < s->min || number > s->max) {
		text_format(err, err_bytes, "%s = '%.40s': must be %llu to %llu", s->name, value,
			(unsigned long long)s->min, (unsigned long long)s->max);
		return -1;
	}
	*out = number;
	return 0;
}

static int set_text(const struct setting *s, char *out, const char *value, char *err,
	size_t err_bytes)
{
	size_t n = strlen(value);

	if (n > s->max) {
		text_format(err, err_bytes, "%s: longer than %llu characters", s->name,
			(unsigned long long)s->max);
		return -1;
	}
	if (s->check && s->check(value, err, err_bytes))
		return -1;
	memcpy(out, value, n + 1);
	return 0;
}

static int set(const struct setting *s, void *target, const char *value, char *err,
	size_t err_bytes)
{
	void *member = (char *)target + s->offset;

	switch (s->kind) {
	case SETTING_CHOICE:
		return set_choice(s, member, value, err, err_bytes);
	case SETTING_TEXT:
		return set_text(s, member, value, err, err_bytes);
	default:
		return set_number(s, member, value, err, err_bytes);
	}
}

void settings_init(const struct setting *table, size_t n, void *target)
{
	char err[8];

	for (size_t i = 0; i < n; i++)
		set(&table[i], target, table[i].initial, err, sizeof err);
}

int settings_set(const struct setting *table, size_t n, void *target, const char *key,
	const char *value, char *err, size_t err_bytes)
{
	const struct setting *s = find(table, n, key);
	const char *near;

	if (s)
		return set(s, target, value, err, err_bytes);
	near = nearest(table, n, key);
	text_format(err, err_bytes,
		near ? "unknown key '%.40s': did you mean '%s'?" : "unknown key '%.40s'", key,
		near);
	return -1;
}

void settings_choice(const struct setting *table, size_t n, const void *target, const char *key,
	char *out, size_t out_bytes)
{
	const struct setting *s = find(table, n, key);
	const char *p = s ? s->choices : NULL;
	uint64_t value = 0;

	if (s)
		memcpy(&value, (const char *)target + s->offset, sizeof value);
	text_format(out, out_bytes, "?");
	for (uint64_t i = 0; p; i++) {
		const char *bar = strchr(p, '|');
		int length = (int)(bar ? (size_t)(bar - p) : strlen(p));

		if ((s->values ? s->values[i] : i) == value)
			text_format(out, out_bytes, "%.*s", length, p);
		p = bar ? bar + 1 : NULL;
	}
}
