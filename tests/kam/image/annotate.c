/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/jsonl_write.h"
#include "lib/result_line.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/annotate.h"

#define CLOSING 19 /* ,"crc":"01234567"}\n */

struct annotation {
	const char *machine;
	FILE *out;
	uint32_t came, left; /* CRC of the lines of this run, as they came and as they left */
	bool wrong;
	unsigned complete, runs;
};

static bool has(const char *line, size_t n, const char *key, const char *value)
{
	return line_is((struct line){ line, n }, key, value);
}

static bool proof_failed(const char *line, size_t n)
{
	static const char text[] = "\"proof failed";
	struct member m;

	return has(line, n, "kind", "skip") && line_find((struct line){ line, n }, "reason", &m) &&
		!strncmp(m.value, text, sizeof(text) - 1);
}

/* Writes a line's text without its closing, and closes it. */
static void close_line(struct annotation *s, const char *body, size_t n)
{
	char closing[CLOSING + 1];

	snprintf(closing, sizeof(closing), ",\"crc\":\"%08x\"}\n", crc32_of(0, body, n));
	fwrite(body, 1, n, s->out);
	fwrite(closing, 1, CLOSING, s->out);
	s->left = crc32_of(crc32_of(s->left, body, n), closing, CLOSING);
}

/* The run line, with one member more. */
static void close_run(struct annotation *s, const char *body, size_t n)
{
	char *longer = malloc(n + 256), member[200];
	struct jsonl l;

	if (!longer)
		fatal("no memory for a line");
	jsonl_begin(&l, member, sizeof(member));
	jsonl_object(&l, "known_answer");
	jsonl_string(&l, "machine", s->machine);
	jsonl_string(&l, "layer", "b");
	jsonl_object_end(&l);
	memcpy(longer, body, n);
	longer[n] = ',';
	memcpy(longer + n + 1, member + 1, l.used - 1);
	close_line(s, longer, n + l.used);
	free(longer);
}

/* The end line holds the CRC of all lines before it. Its body is read with the comma behind it. */
static void close_end(struct annotation *s, char *body, size_t n)
{
	char came[9], left[9];
	struct member m;

	snprintf(came, sizeof(came), "%08x", s->came);
	snprintf(left, sizeof(left), "%08x", s->left);
	if (!has(body, n + 1, "crc_all", came) ||
		!line_find((struct line){ body, n + 1 }, "crc_all", &m))
		fatal("the image's CRC of all lines is wrong: %.*s", (int)n, body);
	s->complete += has(body, n, "status", "complete");
	memcpy(body + (m.value - body) + 1, left, 8);
	close_line(s, body, n);
}

static void one(struct annotation *s, char *line, size_t n)
{
	char crc[9];

	snprintf(crc, sizeof(crc), "%08x", n > CLOSING ? crc32_of(0, line, n - CLOSING) : 0);
	if (n <= CLOSING || !has(line, n, "crc", crc))
		fatal("a damaged line of the result: %.*s", (int)n, line);
	s->wrong |= proof_failed(line, n);
	if (has(line, n, "kind", "run")) {
		s->runs++;
		s->came = s->left = 0;
		close_run(s, line, n - CLOSING);
	} else if (has(line, n, "kind", "end")) {
		close_end(s, line, n - CLOSING);
	} else {
		close_line(s, line, n - CLOSING);
	}
	s->came = crc32_of(s->came, line, n);
}

int annotate(const char *text, size_t n, const char *machine, FILE *out)
{
	struct annotation s = { .machine = machine, .out = out };
	const char *end = text + n, *next;
	char *line;

	for (; text < end; text = next) {
		next = memchr(text, '\n', (size_t)(end - text));
		if (!next++)
			fatal("the result's last line is cut");
		line = strndup(text, (size_t)(next - text));
		one(&s, line, (size_t)(next - text));
		free(line);
	}
	if (!s.runs || s.complete != s.runs)
		return -1;
	return s.wrong;
}
