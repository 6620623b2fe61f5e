/* SPDX-License-Identifier: MIT */
/* In which order the lines of a result are sent over a line that may lose bytes. */
#ifndef KERNEL_RESULT_SENT_LINES_H
#define KERNEL_RESULT_SENT_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Without its run line a result is worth nothing: so often it is repeated, in lines. */
#define RUN_LINE_EVERY 100

/* Sends one line, with its newline. */
typedef void line_fn(const char *line, size_t n);

/*
 * Sends every line of text[0..n) in order. `repeat`: and the first one again, unchanged, after
 * every RUN_LINE_EVERY lines and before the last one (docs/format.md, "On a serial line").
 */
void sent_lines(const char *text, size_t n, bool repeat, line_fn *send);

#endif
