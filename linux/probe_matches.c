/* SPDX-License-Identifier: MIT */
#include "linux/probe_matches.h"

#include <string.h>

#include "engine/options.h"
#include "engine/selection.h"
#include "lib/jsonl_read.h"
#include "lib/result_keys.h"

#define NAME_BYTES 64

/* The text of a member; false: there is none, or it is too long for a name. */
static bool text_member(const char *line, size_t n, const char *key, char out[NAME_BYTES])
{
	struct member m;
	if (!member_find(line, n, key, &m) || m.value_bytes < 2 || m.value_bytes >= NAME_BYTES)
		return false;
	memcpy(out, m.value + 1, m.value_bytes - 2);
	out[m.value_bytes - 2] = '\0';
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

void probe_matches_line(struct probe_matches *m, const char *line, size_t n)
{
	char probe[NAME_BYTES], variant[NAME_BYTES], one[sizeof(((struct options *)0)->probes)];
	if (!text_member(line, n, KEY_PROBE, probe))
		return;
	bool row = text_member(line, n, KEY_VARIANT, variant);
	size_t length;
	const char *name;
	for (unsigned i = 0; i < PROBE_NAMES_MOST && (name = name_at(m->list, i, &length)); i++) {
		memcpy(one, name, length);
		one[length] = '\0';
		m->matched[i] |=
			row ? variant_selected(one, probe, variant) : probe_selected(one, probe);
	}
}

const char *probe_matches_missing(const struct probe_matches *m, size_t *n)
{
	const char *name;
	for (unsigned i = 0; i < PROBE_NAMES_MOST && (name = name_at(m->list, i, n)); i++)
		if (!m->matched[i] && memchr(name, ':', *n))
			return name;
	return NULL;
}
