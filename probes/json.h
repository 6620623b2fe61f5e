/* SPDX-License-Identifier: MIT */
/* Writes one JSON line into a buffer; a line that does not fit is marked, never overrun. */
#ifndef PROBES_JSON_H
#define PROBES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	char *text;
	size_t room, used;
	bool full;  /* something did not fit: the line must not be used */
	bool comma; /* the next member needs one */
};

void json_begin(struct json *, char *buffer, size_t bytes); /* writes "{" */
/* key NULL: an array element. Strings are escaped; invalid bytes become '?'. */
void json_string(struct json *, const char *key, const char *value);
/* Six significant digits or more; NaN and infinities become null. */
void json_number(struct json *, const char *key, double value);
void json_integer(struct json *, const char *key, uint64_t value);
void json_bool(struct json *, const char *key, bool value);
void json_null(struct json *, const char *key);
void json_array(struct json *, const char *key);
void json_array_end(struct json *);
void json_object(struct json *, const char *key);
void json_object_end(struct json *);
/* Closes the line with its "crc" member, "}" and a newline; returns its length, 0 if it was full. */
size_t json_line_end(struct json *);

#endif
