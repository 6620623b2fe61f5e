/* SPDX-License-Identifier: MIT */
#include "kernel/result/sent_lines.h"

/* The length of the line at text, with its newline. */
static size_t line_bytes(const char *text, const char *end)
{
	const char *next = text;

	while (next < end && *next++ != '\n')
		;
	return (size_t)(next - text);
}

void sent_lines(const char *text, size_t n, bool repeat, line_fn *send)
{
	const char *end = text + n, *line = text;
	size_t first = line_bytes(text, end), bytes;

	for (size_t sent = 0; line < end; line += bytes, sent++) {
		bytes = line_bytes(line, end);
		if (repeat && sent && (sent % RUN_LINE_EVERY == 0 || line + bytes == end))
			send(text, first);
		send(line, bytes);
	}
}
