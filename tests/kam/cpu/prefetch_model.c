/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/prefetch_model.h"
#include "tests/kam/cpu/translate.h"

#define PAGE_SHIFT 12

/* Lines ahead, and steps in one direction before a stream is believed. */
static unsigned distance(const struct cpu *cpu)
{
	return cpu->stream == STREAM_AGGRESSIVE ? 16 : 6;
}

static unsigned needed(const struct cpu *cpu)
{
	return cpu->stream == STREAM_AGGRESSIVE ? 1 : 2;
}

/* A stream that is believed and was about to leave its page for this line's. */
static bool continues(const struct memory *m, const struct stream *s, uint64_t line)
{
	uint64_t page = line >> (PAGE_SHIFT - m->line_shift);

	if (!m->cpu->next_page || !s->used || s->sure < needed(m->cpu))
		return false;
	return s->direction > 0 ? page == s->page + 1 && line - s->line <= distance(m->cpu) + 1
				: page + 1 == s->page && s->line - line <= distance(m->cpu) + 1;
}

static struct stream *stream_of(struct memory *m, uint64_t line)
{
	uint64_t page = line >> (PAGE_SHIFT - m->line_shift);
	struct stream *s, *oldest = m->streams;

	for (s = m->streams; s < m->streams + m->cpu->streams; s++) {
		if (s->used && s->page == page)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	for (s = m->streams; m->cpu->next_page && s < m->streams + m->cpu->streams; s++)
		if (continues(m, s, line)) {
			s->page = page;
			s->line = line - (uint64_t)(int64_t)s->direction;
			return s;
		}
	memset(oldest, 0, sizeof(*oldest));
	oldest->page = page;
	return oldest;
}

static void run_ahead(struct memory *m, struct stream *s, uint64_t line, uint64_t t)
{
	uint64_t mask = (4096u >> m->line_shift) - 1, n, next, start;

	for (n = 1; n <= distance(m->cpu); n++) {
		next = s->direction > 0 ? line + n : line - n;
		start = t;
		if ((next & ~mask) != (line & ~mask) && !m->cpu->next_page)
			return;
		if (s->direction > 0 ? next <= s->ahead : next >= s->ahead && s->ahead)
			continue;
		if ((next & ~mask) != (line & ~mask)) {
			if (!translate_maps(m, next << m->line_shift))
				return;
			start = translate(m, next << m->line_shift, t);
		}
		memory_prefetch(m, next, 1, start);
		s->ahead = next;
	}
}

static void stream(struct memory *m, uint64_t line, uint64_t t)
{
	struct stream *s = stream_of(m, line);
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
		memory_prefetch(m, line ^ 1, 1, t);
}

/* Counts equal steps of one instruction; how many bytes further it will load, 0: not known. */
static int64_t expected_step(struct stride *s, uint64_t load, uint64_t address,
	const struct cpu *cpu)
{
	int64_t step = (int64_t)(address - s->last);

	if (s->load != load) {
		*s = (struct stride){ .load = load, .last = address };
		return 0;
	}
	s->last = address;
	if (step == 0) /* the same once more says nothing */
		return 0;
	s->sure = step == s->step ? s->sure + 1 : 1;
	s->step = step;
	if (s->sure < cpu->ip_sure || (uint64_t)llabs(step) > cpu->ip_stride)
		return 0;
	return step * (int64_t)cpu->ip_ahead;
}

void prefetch_on_load(struct memory *m, uint64_t load, uint64_t address, uint64_t t)
{
	struct stride *s = &m->strides[load % STRIDES];
	uint64_t next = address + (uint64_t)expected_step(s, load, address, m->cpu);

	if (next >> m->line_shift == address >> m->line_shift)
		return;
	if (m->cpu->ip_pages || next >> PAGE_SHIFT == address >> PAGE_SHIFT)
		memory_prefetch(m, next >> m->line_shift, 0, t);
}
