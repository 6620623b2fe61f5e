/* SPDX-License-Identifier: MIT */
/* A line of a result, or an object within one, as text; its members are asked by their keys. */
#ifndef PAGE_PAGE_LINE_H
#define PAGE_PAGE_LINE_H

#include "lib/jsonl_read.h"

struct line {
	const char *text; /* NULL: there is none, and it has no members */
	size_t n;
};

/* NOT_A_NUMBER, "" (false) or no line where it has no such member. */
double line_number(struct line, const char *key);
bool line_string(struct line, const char *key, char *out, size_t bytes);
struct line line_object(struct line, const char *key);
/* Whether the member is that string, or as a literal: "true". */
bool line_is(struct line, const char *key, const char *value);
/* Whether both have the member with the same text, or none of them has it. */
bool line_same(struct line, struct line, const char *key);

#endif
