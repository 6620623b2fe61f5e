/* SPDX-License-Identifier: MIT */
/* The frame and the checksum of a line of a result (docs/format.md, "Every line"). */
#ifndef REPORT_READING_FRAME_H
#define REPORT_READING_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define FRAME_START "{\"kind\":\""
#define FRAME_TAIL  18                /* bytes of ,"crc":"01234567"} */
#define FRAME_MOST  ((size_t)8 << 20) /* bytes of the longest line that is read */

/*
 * Returns true if line[0..n), without its newline, is framed as a result line and has the right
 * crc. Otherwise *why is the error in words.
 */
bool frame_valid(const char *line, size_t n, const char **why);

/*
 * Find the end of the line that starts at text: just behind its `,"crc":"........"}`; NULL if there
 * is none in text[0..n).
 */
const char *frame_end(const char *text, size_t n);

/* A buffer for a line of any length up to FRAME_MOST, which grows with the line. */
struct frame_buffer {
	char *text;
	size_t n, capacity;
};

/* Add a byte. Returns false if the line has FRAME_MOST bytes already. */
bool frame_add(struct frame_buffer *, char c);

#endif
