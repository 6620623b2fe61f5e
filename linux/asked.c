/* SPDX-License-Identifier: MIT */
#include "linux/asked.h"

#include <string.h>

#include "engine/selection.h"
#include "engine/options.h"

#define NAME_BYTES 64

/* The text of the first member whose key begins so. */
static bool member(const char *line, size_t n, const char *key, char out[NAME_BYTES])
{
	const char *at = memmem(line, n, key, strlen(key));
	if (!at)
		return false;
	at += strlen(key);
	const char *end = memchr(at, '"', (size_t)(line + n - at));
	if (!end || end - at >= NAME_BYTES)
		return false;
	memcpy(out, at, (size_t)(end - at));
	out[end - at] = '\0';
	return true;
}

/* The i-th name of the list, and its length; NULL behind the last. */
static const char *name_at(const char *list, unsigned i, size_t *n)
{
	while (i--) {
		list += strcspn(list, ",");
		list += *list == ',';
	}
	*n = strcspn(list, ",");
	return *list ? list : NULL;
}

void asked_see(struct asked *a, const char *line, size_t n)
{
	char probe[NAME_BYTES], variant[NAME_BYTES], one[sizeof(((struct options *)0)->probes)];
	if (!member(line, n, "\"probe\":\"", probe))
		return;
	bool row = member(line, n, "\"variant\":\"", variant);
	size_t length;
	const char *name;
	for (unsigned i = 0; i < ASKED_MOST && (name = name_at(a->list, i, &length)); i++) {
		memcpy(one, name, length);
		one[length] = '\0';
		a->seen[i] |=
			row ? variant_selected(one, probe, variant) : probe_selected(one, probe);
	}
}

const char *asked_missing(const struct asked *a, size_t *n)
{
	const char *name;
	for (unsigned i = 0; i < ASKED_MOST && (name = name_at(a->list, i, n)); i++)
		if (!a->seen[i] && memchr(name, ':', *n))
			return name;
	return NULL;
}
