/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/selection.h"
#include "engine/bench.h"
#include "lib/text.h"

size_t selection_name(const char *p)
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
		size_t n = selection_name(p);

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

static bool any_probe(const char *p, size_t n)
{
	for (unsigned i = 0; i < probe_count; i++)
		if (matches(p, n, probes[i].name, NULL))
			return true;
	return false;
}

static void refuse(const char *p, size_t n, char *err, size_t err_bytes)
{
	size_t used = (size_t)text_format(err, err_bytes,
		"probes = '%.*s': no such probe; there are", (int)(n < 40 ? n : 40), p);

	for (unsigned i = 0; i < probe_count && used < err_bytes; i++)
		used += (size_t)text_format(err + used, err_bytes - used, "%s %s", i ? "," : "",
			probes[i].name);
}

int selection_check(const char *list, char *err, size_t err_bytes)
{
	for (const char *p = list; *p;) {
		size_t n = selection_name(p);

		if (!any_probe(p, n)) {
			refuse(p, n, err, err_bytes);
			return -1;
		}
		p += n + (p[n] == ',');
	}
	return 0;
}
