/* SPDX-License-Identifier: MIT */
#include "engine/emit.h"

#include "lib/crc32.h"

struct jsonl *emit_begin(struct bench *b, const char *kind)
{
	struct jsonl *l = &b->emit->line;

	jsonl_begin(l, b->emit->text, sizeof b->emit->text);
	jsonl_string(l, "kind", kind);
	jsonl_string(l, "room", room_names[b->env->room]);
	jsonl_integer(l, "seq", b->emit->seq);
	return l;
}

/* A line that did not fit is lost as data but not silently: it is said, and seq shows the gap. */
void emit_line(struct bench *b)
{
	size_t n = jsonl_end(&b->emit->line);

	b->emit->seq++;
	if (n == 0) {
		say(b, "internal error: result line %u is longer than %u bytes and was lost\n",
			b->emit->seq - 1, (unsigned)EMIT_LINE);
		return;
	}
	b->emit->crc_all = crc32_of(b->emit->crc_all, b->emit->text, n);
	b->env->write(b->env, b->emit->text, n);
}

static const struct {
	uint32_t bit;
	const char *name;
	size_t offset;
} counts[] = {
	{ EVENT_SMIS, "smis", offsetof(struct event_counts, smis) },
	{ EVENT_INTERRUPTS, "interrupts", offsetof(struct event_counts, interrupts) },
	{ EVENT_NMIS, "nmis", offsetof(struct event_counts, nmis) },
	{ EVENT_SWITCHES, "switches", offsetof(struct event_counts, switches) },
	{ EVENT_FAULTS, "faults", offsetof(struct event_counts, faults) },
	{ EVENT_CORE_CYCLES, "core_cycles", offsetof(struct event_counts, core_cycles) },
	{ EVENT_MISPREDICTS, "mispredicts", offsetof(struct event_counts, mispredicts) },
	{ EVENT_INSTRUCTIONS, "instructions", offsetof(struct event_counts, instructions) },
};

#define COUNTS (sizeof counts / sizeof *counts)

void emit_counts_known(struct jsonl *l, struct env *env)
{
	struct event_counts q = { 0 };

	env->timed_begin(env, &q);
	env->timed_end(env, &q);
	jsonl_array(l, "counts");
	for (unsigned i = 0; i < COUNTS; i++)
		if (q.known & counts[i].bit)
			jsonl_string(l, NULL, counts[i].name);
	jsonl_array_end(l);
}

static void put_identity(struct jsonl *l, const struct row *row)
{
	jsonl_string(l, "probe", row->probe->name);
	jsonl_string(l, "variant", row->variant);
	if (row->level)
		jsonl_string(l, "place", row->level);
	for (unsigned i = 0; i < row->nparams; i++)
		jsonl_number(l, row->params[i].name, row->params[i].value);
}

static void put_events(struct jsonl *l, const struct event_counts *q)
{
	jsonl_object(l, "counts");
	for (unsigned i = 0; i < COUNTS; i++)
		if (q->known & counts[i].bit)
			jsonl_integer(l, counts[i].name,
				*(const uint64_t *)((const char *)q + counts[i].offset));
	jsonl_object_end(l);
}

static void put_values(struct jsonl *l, const struct result *r, const double *values,
	const bool *flagged)
{
	jsonl_array(l, "values");
	for (unsigned i = 0; i < r->samples; i++)
		jsonl_number(l, NULL, values[i]);
	jsonl_array_end(l);
	if (!r->disturbed)
		return;
	jsonl_array(l, "flags");
	for (unsigned i = 0; i < r->samples; i++)
		if (flagged[i])
			jsonl_integer(l, NULL, i);
	jsonl_array_end(l);
}

void emit_row(struct bench *b, const struct result *r, struct job *job, const double *values,
	const bool *flagged)
{
	struct jsonl *l = emit_begin(b, "row");

	put_identity(l, r->row);
	if (r->page_bytes)
		jsonl_integer(l, "page_bytes", r->page_bytes);
	jsonl_string(l, "unit", r->row->unit->name);
	jsonl_integer(l, "samples", r->samples);
	jsonl_number(l, "min", r->min);
	jsonl_number(l, "median", r->median);
	jsonl_number(l, "p90", r->p90);
	jsonl_number(l, "p99", r->p99);
	jsonl_number(l, "max", r->max);
	jsonl_number(l, "mean", r->mean);
	jsonl_number(l, "mad", r->mad);
	if (r->cycles > 0)
		jsonl_number(l, "cycles", r->cycles);
	if (r->core_hz > 0)
		jsonl_number(l, "core_hz", r->core_hz);
	jsonl_number(l, "overhead_ticks", r->overhead_ticks);
	jsonl_integer(l, "disturbed", r->disturbed);
	jsonl_integer(l, "outliers", r->outliers);
	jsonl_number(l, "ops", r->ops);
	put_events(l, &r->events);
	jsonl_string(l, "origin", "measured");
	jsonl_number(l, "at_seconds",
		ticks_to_ns(b, (double)(b->env->now(b->env) - b->start_ticks)) / 1e9);
	put_values(l, r, values, flagged);
	if (job->extra) {
		jsonl_object(l, "more");
		job->extra(b, job, l, values, r->samples);
		jsonl_object_end(l);
	}
	b->rows++;
	emit_line(b);
}

void emit_skip(struct bench *b, const struct probe *probe, const struct row *row,
	const char *reason)
{
	struct jsonl *l = emit_begin(b, "skip");

	if (row)
		put_identity(l, row);
	else
		jsonl_string(l, "probe", probe->name);
	jsonl_string(l, "reason", reason);
	b->skips++;
	emit_line(b);
}

void emit_summary(struct bench *b, const struct summary *s)
{
	struct jsonl *l = emit_begin(b, "summary");

	jsonl_string(l, "name", s->name);
	jsonl_number(l, "value", s->value);
	jsonl_string(l, "unit", s->unit);
	if (s->low < s->high) {
		jsonl_number(l, "low", s->low);
		jsonl_number(l, "high", s->high);
	}
	jsonl_number(l, "claimed", s->claimed);
	if (s->value == s->value && s->claimed == s->claimed)
		jsonl_bool(l, "agrees", summary_agrees(s));
	jsonl_number(l, "confidence", s->confidence);
	jsonl_string(l, "rests_on", s->rests_on);
	if (s->reason)
		jsonl_string(l, "reason", s->reason);
	b->summaries++;
	emit_line(b);
}

void emit_end(struct bench *b, const char *status, const char *why)
{
	uint32_t crc_all = b->emit->crc_all;
	struct jsonl *l = emit_begin(b, "end");
	char crc[9];

	jsonl_string(l, "status", status);
	if (why)
		jsonl_string(l, "why", why);
	jsonl_integer(l, "rows", b->rows);
	jsonl_integer(l, "summaries", b->summaries);
	jsonl_integer(l, "skips", b->skips);
	jsonl_integer(l, "lines", b->emit->seq);
	jsonl_number(l, "seconds",
		ticks_to_ns(b, (double)(b->env->now(b->env) - b->start_ticks)) / 1e9);
	if (b->env->conclude)
		b->env->conclude(b->env, l);
	for (unsigned i = 0; i < 8; i++)
		crc[i] = "0123456789abcdef"[crc_all >> (28 - 4 * i) & 15];
	crc[8] = 0;
	jsonl_string(l, "crc_all", crc);
	emit_line(b);
}
