/* SPDX-License-Identifier: MIT */
/* One line of a result, alone: its frame and its checksum (docs/format.md, "Every line"). */
#ifndef REPORT_READING_FRAME_H
#define REPORT_READING_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define FRAME_START "{\"kind\":\""
#define FRAME_MOST  ((size_t)8 << 20) /* longest line that is read, bytes */

/*
 * Whether line[0..n), without its newline, is framed as a result line and has the right crc.
 * Otherwise *why says in words what is wrong.
 */
bool frame_valid(const char *line, size_t n, const char **why);

/*
 * Finds the end of the line that starts at text: just behind its `,"crc":"........"}`; NULL if
 * there is none in text[0..n).
 */
const char *frame_end(const char *text, size_t n);

/* A buffer for a line of any length up to FRAME_MOST, grown as it comes. */
struct frame_buffer {
	char *text;
	size_t n, capacity;
};

/* Adds a byte. False: the line has FRAME_MOST already. */
bool frame_add(struct frame_buffer *, char c);

#endif
