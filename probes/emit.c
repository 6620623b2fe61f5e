/* SPDX-License-Identifier: MIT */
#include "probes/emit.h"

#include "probes/crc32.h"

static const char *const room_names[] = {
	[ROOM_HOSTED] = "hosted",
	[ROOM_FIRMWARE] = "firmware",
	[ROOM_BARE] = "bare",
};

struct line *emit_begin(struct bench *b, const char *kind)
{
	struct line *l = &b->emit->line;

	line_begin(l, b->emit->text, sizeof b->emit->text);
	line_string(l, "kind", kind);
	line_string(l, "room", room_names[b->env->room]);
	line_integer(l, "seq", b->emit->seq);
	return l;
}

/* A line that did not fit is lost as data but not silently: it is said, and seq shows the gap. */
void emit_line(struct bench *b)
{
	size_t n = line_end(&b->emit->line);

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
	{ QUIET_SMIS, "smis", offsetof(struct quiet, smis) },
	{ QUIET_INTERRUPTS, "interrupts", offsetof(struct quiet, interrupts) },
	{ QUIET_NMIS, "nmis", offsetof(struct quiet, nmis) },
	{ QUIET_SWITCHES, "switches", offsetof(struct quiet, switches) },
	{ QUIET_FAULTS, "faults", offsetof(struct quiet, faults) },
	{ QUIET_CORE_CYCLES, "core_cycles", offsetof(struct quiet, core_cycles) },
	{ QUIET_MISPREDICTS, "mispredicts", offsetof(struct quiet, mispredicts) },
	{ QUIET_INSTRUCTIONS, "instructions", offsetof(struct quiet, instructions) },
};

#define COUNTS (sizeof counts / sizeof *counts)

void emit_counts_known(struct line *l, struct env *env)
{
	struct quiet q = { 0 };

	env->quiet_begin(env, &q);
	env->quiet_end(env, &q);
	line_array(l, "counts");
	for (unsigned i = 0; i < COUNTS; i++)
		if (q.known & counts[i].bit)
			line_string(l, NULL, counts[i].name);
	line_array_end(l);
}

static void put_identity(struct line *l, const struct row *row)
{
	line_string(l, "probe", row->probe->name);
	line_string(l, "variant", row->variant);
	if (row->place)
		line_string(l, "place", row->place);
	for (unsigned i = 0; i < row->nparams; i++)
		line_number(l, row->params[i].name, row->params[i].value);
}

static void put_happened(struct line *l, const struct quiet *q)
{
	line_object(l, "counts");
	for (unsigned i = 0; i < COUNTS; i++)
		if (q->known & counts[i].bit)
			line_integer(l, counts[i].name,
				*(const uint64_t *)((const char *)q + counts[i].offset));
	line_object_end(l);
}

static void put_values(struct line *l, const struct result *r, const double *values,
	const bool *flagged)
{
	line_array(l, "values");
	for (unsigned i = 0; i < r->samples; i++)
		line_number(l, NULL, values[i]);
	line_array_end(l);
	if (!r->disturbed)
		return;
	line_array(l, "flags");
	for (unsigned i = 0; i < r->samples; i++)
		if (flagged[i])
			line_integer(l, NULL, i);
	line_array_end(l);
}

void emit_row(struct bench *b, const struct result *r, struct job *job, const double *values,
	const bool *flagged)
{
	struct line *l = emit_begin(b, "row");

	put_identity(l, r->row);
	if (r->page_bytes)
		line_integer(l, "page_bytes", r->page_bytes);
	line_string(l, "unit", r->row->unit->name);
	line_integer(l, "samples", r->samples);
	line_number(l, "min", r->min);
	line_number(l, "median", r->median);
	line_number(l, "p90", r->p90);
	line_number(l, "p99", r->p99);
	line_number(l, "max", r->max);
	line_number(l, "mean", r->mean);
	line_number(l, "mad", r->mad);
	if (r->cycles > 0)
		line_number(l, "cycles", r->cycles);
	if (r->core_hz > 0)
		line_number(l, "core_hz", r->core_hz);
	line_number(l, "overhead_ticks", r->overhead_ticks);
	line_integer(l, "disturbed", r->disturbed);
	line_integer(l, "outliers", r->outliers);
	line_number(l, "ops", r->ops);
	put_happened(l, &r->happened);
	line_string(l, "origin", "measured");
	line_number(l, "at_seconds",
		ticks_to_ns(b, (double)(b->env->now(b->env) - b->start_ticks)) / 1e9);
	put_values(l, r, values, flagged);
	if (job->extra) {
		line_object(l, "more");
		job->extra(b, job, l, values, r->samples);
		line_object_end(l);
	}
	b->rows++;
	emit_line(b);
}

void emit_skip(struct bench *b, const struct probe *probe, const struct row *row,
	const char *reason)
{
	struct line *l = emit_begin(b, "skip");

	if (row)
		put_identity(l, row);
	else
		line_string(l, "probe", probe->name);
	line_string(l, "reason", reason);
	b->skips++;
	emit_line(b);
}

void emit_summary(struct bench *b, const struct summary *s)
{
	struct line *l = emit_begin(b, "summary");

	line_string(l, "name", s->name);
	line_number(l, "value", s->value);
	line_string(l, "unit", s->unit);
	if (s->low < s->high) {
		line_number(l, "low", s->low);
		line_number(l, "high", s->high);
	}
	line_number(l, "claimed", s->claimed);
	if (s->value == s->value && s->claimed == s->claimed)
		line_bool(l, "agrees", summary_agrees(s));
	line_number(l, "confidence", s->confidence);
	line_string(l, "rests_on", s->rests_on);
	if (s->reason)
		line_string(l, "reason", s->reason);
	b->summaries++;
	emit_line(b);
}

void emit_end(struct bench *b, const char *status, const char *why)
{
	uint32_t crc_all = b->emit->crc_all;
	struct line *l = emit_begin(b, "end");
	char crc[9];

	line_string(l, "status", status);
	if (why)
		line_string(l, "why", why);
	line_integer(l, "rows", b->rows);
	line_integer(l, "summaries", b->summaries);
	line_integer(l, "skips", b->skips);
	line_integer(l, "lines", b->emit->seq);
	line_number(l, "seconds",
		ticks_to_ns(b, (double)(b->env->now(b->env) - b->start_ticks)) / 1e9);
	if (b->env->conclude)
		b->env->conclude(b->env, l);
	for (unsigned i = 0; i < 8; i++)
		crc[i] = "0123456789abcdef"[crc_all >> (28 - 4 * i) & 15];
	crc[8] = 0;
	line_string(l, "crc_all", crc);
	emit_line(b);
}
