/* SPDX-License-Identifier: MIT */
/*
 * Figures that others publish for a core: its makers' manuals, compilers' models of it, and people
 * who measured it. They stand beside what was measured and decide nothing.
 */
#ifndef LIB_PUBLISHED_H
#define LIB_PUBLISHED_H

#include <stddef.h>

#include "lib/values.h"

struct published_fact {
	enum value_id id;
	double low, high; /* in the value's unit; the same where one number is published */
	const char *source;
};

struct published_core {
	const char *key, *name; /* "zen5", "Zen 5" */
	const struct published_fact *facts;
	size_t n;
};

/*
 * The core of a processor, by what CPUID says of it; NULL: none that is known here. core_type: of
 * a hybrid processor (CPUID 1Ah), else NAN.
 */
const struct published_core *published_core_of(const char *vendor, double family, double model,
	double core_type);
/* The core of that key; NULL: there is none. */
const struct published_core *published_core_named(const char *key);
/* All cores; NULL behind the last one. */
const struct published_core *published_core_at(size_t i);
/* The figure of a core for a value; NULL: none is published, or core is NULL. */
static inline const struct published_fact *published_fact(const struct published_core *core,
	enum value_id id)
{
	for (size_t i = 0; core && i < core->n; i++)
		if (core->facts[i].id == id)
			return &core->facts[i];
	return NULL;
}

#endif
