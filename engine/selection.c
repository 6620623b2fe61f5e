/* SPDX-License-Identifier: MIT */
#include "engine/selection.h"

#include <stddef.h>
#include <string.h>

/* Length of the word at p: up to a comma or the end. */
static size_t word(const char *p)
{
	size_t n = 0;

	while (p[n] && p[n] != ',')
		n++;
	return n;
}

/* What follows a prefix of the word, or NULL if it does not begin so. */
static const char *after(const char *p, size_t n, const char *prefix)
{
	size_t length = strlen(prefix);

	return length <= n && memcmp(p, prefix, length) == 0 ? p + length : NULL;
}

static bool matches(const char *p, size_t n, const char *probe, const char *variant)
{
	const char *rest = after(p, n, probe), *end = p + n;

	if (!rest || rest == end)
		return rest;
	if (*rest++ != ':')
		return false;
	return !variant || after(rest, (size_t)(end - rest), variant) == end;
}

static bool any(const char *list, const char *probe, const char *variant)
{
	for (const char *p = list; *p;) {
		size_t n = word(p);

		if (matches(p, n, probe, variant))
			return true;
		p += n + (p[n] == ',');
	}
	return !*list;
}

bool probe_selected(const char *list, const char *probe)
{
	return any(list, probe, NULL);
}

bool variant_selected(const char *list, const char *probe, const char *variant)
{
	return any(list, probe, variant);
}
