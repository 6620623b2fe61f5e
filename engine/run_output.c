/* SPDX-License-Identifier: MIT */
#include "engine/run_output.h"

static void count(struct bench *b, uint64_t since)
{
	b->output_ticks += b->env->now(b->env) - since;
}

void output_line(struct bench *b, const char *line, size_t n)
{
	uint64_t since = b->env->now(b->env);

	b->env->write(b->env, line, n);
	count(b, since);
}

void output_text(struct bench *b, const char *text, size_t n)
{
	uint64_t since = b->env->now(b->env);

	b->env->say(b->env, text, n);
	count(b, since);
}

void output_progress(struct bench *b, const char *text, size_t n, double part)
{
	uint64_t since = b->env->now(b->env);

	if (!b->env->progress)
		return;
	b->env->progress(b->env, text, n, part);
	count(b, since);
}

static double ns_of(const struct bench *b, uint64_t ticks)
{
	return (double)ticks / b->env->facts.tsc_hz * 1e9;
}

double output_ns(const struct bench *b)
{
	return ns_of(b, b->output_ticks);
}

double measuring_ns(const struct bench *b)
{
	return ns_of(b, b->env->now(b->env) - b->start_ticks - b->output_ticks);
}
