/* SPDX-License-Identifier: MIT */
/* Writes one JSON line into a buffer; a line that does not fit is marked, never overrun. */
#ifndef LIB_JSONL_WRITE_H
#define LIB_JSONL_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jsonl {
	char *text;
	size_t capacity, used;
	bool full;  /* a member did not fit: the line must not be used */
	bool comma; /* the next member needs a comma */
};

void jsonl_begin(struct jsonl *, char *buffer, size_t bytes); /* writes "{" */
/* key NULL: an array element. Strings are escaped; invalid bytes become '?'. */
void jsonl_string(struct jsonl *, const char *key, const char *value);
/* Six significant digits or more; NaN and infinities become null. */
void jsonl_number(struct jsonl *, const char *key, double value);
/* The number that jsonl_number() writes for a value of 1e-12 to 1e9 in size; others stay. */
double jsonl_rounded(double value);
void jsonl_integer(struct jsonl *, const char *key, uint64_t value);
void jsonl_bool(struct jsonl *, const char *key, bool value);
/* Write a member as it stands in another line: the key without its quotes, the value with them. */
void jsonl_raw(struct jsonl *, const char *key, size_t key_bytes, const char *value, size_t n);
void jsonl_array(struct jsonl *, const char *key);
void jsonl_array_end(struct jsonl *);
void jsonl_object(struct jsonl *, const char *key);
void jsonl_object_end(struct jsonl *);
/* Close the line with its "crc" member, "}" and a newline; returns its length, 0 if it was full. */
size_t jsonl_end(struct jsonl *);

#endif
