/* SPDX-License-Identifier: MIT */
#include "page/page_line.h"

#include <string.h>

#include "lib/math.h"

static bool find(struct line line, const char *key, struct member *out)
{
	return line.text && member_find(line.text, line.n, key, out);
}

double line_number(struct line line, const char *key)
{
	struct member m;

	return find(line, key, &m) ? member_number(&m) : NOT_A_NUMBER;
}

bool line_string(struct line line, const char *key, char *out, size_t bytes)
{
	struct member m;

	*out = 0;
	return find(line, key, &m) && member_text(&m, out, bytes);
}

struct line line_object(struct line line, const char *key)
{
	struct member m;

	if (!find(line, key, &m) || *m.value != '{')
		return (struct line){ NULL, 0 };
	return (struct line){ m.value, m.value_bytes };
}

bool line_is(struct line line, const char *key, const char *value)
{
	struct member m;

	return find(line, key, &m) &&
		(member_equals(&m, value) ||
			(m.value_bytes == strlen(value) && !memcmp(m.value, value, m.value_bytes)));
}

bool line_same(struct line a, struct line b, const char *key)
{
	struct member in_a = { 0 }, in_b = { 0 };
	bool has_a = find(a, key, &in_a), has_b = find(b, key, &in_b);

	if (!has_a || !has_b)
		return has_a == has_b;
	return in_a.value_bytes == in_b.value_bytes &&
		!memcmp(in_a.value, in_b.value, in_a.value_bytes);
}
