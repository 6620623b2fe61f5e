/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/cpu/prefetch_model.h"

/* Lines ahead, and steps in one direction before a stream is believed. */
static unsigned distance(const struct cpu *cpu)
{
	return cpu->stream == STREAM_AGGRESSIVE ? 16 : 6;
}

static unsigned needed(const struct cpu *cpu)
{
	return cpu->stream == STREAM_AGGRESSIVE ? 1 : 2;
}

static struct stream *stream_of(struct memory *m, uint64_t page)
{
	struct stream *s, *oldest = m->streams;

	for (s = m->streams; s < m->streams + STREAMS; s++) {
		if (s->used && s->page == page)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	memset(oldest, 0, sizeof(*oldest));
	oldest->page = page;
	return oldest;
}

static void run_ahead(struct memory *m, struct stream *s, uint64_t line, uint64_t t)
{
	uint64_t mask = (4096u >> m->line_shift) - 1, n, next;

	for (n = 1; n <= distance(m->cpu); n++) {
		next = s->direction > 0 ? line + n : line - n;
		if ((next & ~mask) != (line & ~mask))
			return;
		if (s->direction > 0 ? next <= s->ahead : next >= s->ahead && s->ahead)
			continue;
		memory_prefetch(m, next, t);
		s->ahead = next;
	}
}

static void stream(struct memory *m, uint64_t line, uint64_t t)
{
	struct stream *s = stream_of(m, line >> (12 - m->line_shift));
	int step = line == s->line + 1 ? 1 : line + 1 == s->line ? -1 : 0;

	if (s->used && step && (step == s->direction || s->sure == 0)) {
		s->sure++;
		s->direction = step;
	} else if (s->used && line != s->line) {
		s->sure = 0;
		s->ahead = 0;
	}
	s->line = line;
	s->used = ++m->time;
	if (s->sure >= needed(m->cpu))
		run_ahead(m, s, line, t);
}

void prefetch_on_miss(struct memory *m, uint64_t line, unsigned from, uint64_t t)
{
	if (m->cpu->stream != STREAM_OFF)
		stream(m, line, t);
	if (m->cpu->adjacent && from > 1)
		memory_prefetch(m, line ^ 1, t);
}
