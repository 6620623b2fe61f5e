/* SPDX-License-Identifier: MIT */
/* Writes one JSON line into a buffer; a line that does not fit is marked, never overrun. */
#ifndef PROBES_LINE_H
#define PROBES_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
	char *text;
	size_t room, used;
	bool full;  /* something did not fit: the line must not be used */
	bool comma; /* the next member needs one */
};

void line_begin(struct line *, char *buffer, size_t bytes); /* writes "{" */
/* key NULL: an array element. Strings are escaped; invalid bytes become '?'. */
void line_string(struct line *, const char *key, const char *value);
/* Six significant digits or more; NaN and infinities become null. */
void line_number(struct line *, const char *key, double value);
void line_integer(struct line *, const char *key, uint64_t value);
void line_bool(struct line *, const char *key, bool value);
void line_null(struct line *, const char *key);
void line_array(struct line *, const char *key);
void line_array_end(struct line *);
void line_object(struct line *, const char *key);
void line_object_end(struct line *);
/* Closes the line with its "crc" member, "}" and a newline; returns its length, 0 if it was full. */
size_t line_end(struct line *);

#endif
