/* SPDX-License-Identifier: MIT */
/* Steps through the members of one JSON line, in place. */
#ifndef LIB_JSONL_READ_H
#define LIB_JSONL_READ_H

#include <stdbool.h>
#include <stddef.h>

/* A member as it stands in the text; a string value includes its quotes. */
struct member {
	const char *key; /* without quotes */
	size_t key_bytes;
	const char *value;
	size_t value_bytes;
};

/*
 * The next member of the object; *at points to its "{" at first. false at the end, or where the
 * text is no JSON: then *at == end only if it was complete ("}" and an optional newline).
 */
bool member_next(const char **at, const char *end, struct member *out);

/* The same of an array's elements, which have no key; *at points to its "[" at first. */
bool element_next(const char **at, const char *end, struct member *out);

/* Whether the member has that key; whether its value is that string. */
bool member_is(const struct member *, const char *key);
bool member_equals(const struct member *, const char *string);
/* The value as a number; NAN where it is null or none. To about 15 digits. */
double member_number(const struct member *);
/* The string that the value is, cut to bytes - 1 characters; false, and "", where it is none. */
bool member_text(const struct member *, char *out, size_t bytes);
/* The member of a line by its key; false: there is none. */
bool member_find(const char *line, size_t n, const char *key, struct member *out);

#endif
