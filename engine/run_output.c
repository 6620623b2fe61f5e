/* SPDX-License-Identifier: MIT */
#include "engine/run_output.h"

static void count(struct bench *b, uint64_t since)
{
	b->output_ticks += b->room->now(b->room) - since;
}

void output_line(struct bench *b, const char *line, size_t n)
{
	uint64_t since = b->room->now(b->room);

	b->room->write(b->room, line, n);
	count(b, since);
}

void output_text(struct bench *b, const char *text, size_t n)
{
	uint64_t since = b->room->now(b->room);

	b->room->say(b->room, text, n);
	count(b, since);
}

void output_progress(struct bench *b, const char *text, size_t n, double part)
{
	uint64_t since = b->room->now(b->room);

	if (!b->room->progress)
		return;
	b->room->progress(b->room, text, n, part);
	count(b, since);
}

static double ns_of(const struct bench *b, uint64_t ticks)
{
	return (double)ticks / b->room->facts.tsc_hz * 1e9;
}

double output_ns(const struct bench *b)
{
	return ns_of(b, b->output_ticks);
}

double measuring_ns(const struct bench *b)
{
	return ns_of(b, b->room->now(b->room) - b->start_ticks - b->output_ticks);
}
