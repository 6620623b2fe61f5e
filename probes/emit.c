/* SPDX-License-Identifier: MIT */
#include "probes/emit.h"

#include "probes/claims.h"
#include "probes/crc32.h"

#define SCHEMA "anechoic/1"

static const char *const room_names[] = {
	[ROOM_HOSTED] = "hosted",
	[ROOM_FIRMWARE] = "firmware",
	[ROOM_BARE] = "bare",
};

static struct json *begin(struct bench *b, const char *kind)
{
	struct json *j = &b->emit->json;

	json_begin(j, b->emit->text, sizeof b->emit->text);
	json_string(j, "kind", kind);
	json_string(j, "room", room_names[b->env->room]);
	json_integer(j, "seq", b->emit->seq);
	return j;
}

/* A line that did not fit is lost as data but not silently: it is said, and seq shows the gap. */
static void end(struct bench *b)
{
	size_t n = json_line_end(&b->emit->json);

	b->emit->seq++;
	if (n == 0) {
		say(b, "internal error: result line %u is longer than %u bytes and was lost\n",
			b->emit->seq - 1, (unsigned)EMIT_LINE);
		return;
	}
	b->emit->crc_all = crc32_of(b->emit->crc_all, b->emit->text, n);
	b->env->write(b->env, b->emit->text, n);
}

static void put_cpu(struct json *j, struct env *env)
{
	struct cpu_claim cpu;

	claims_cpu(env, &cpu);
	json_object(j, "cpu");
	json_string(j, "vendor", cpu.vendor);
	json_string(j, "brand", cpu.brand);
	json_integer(j, "family", cpu.family);
	json_integer(j, "model", cpu.model);
	json_integer(j, "stepping", cpu.stepping);
	if (env->facts.microcode_known)
		json_integer(j, "microcode", env->facts.microcode);
	json_object_end(j);
}

static void put_caches(struct json *j, struct env *env)
{
	static const char *const types[] = { "none", "data", "instruction", "unified" };
	struct cache_claim caches[16];
	unsigned n = claims_caches(env, caches, 16);

	json_array(j, "caches_claimed");
	for (unsigned i = 0; i < n; i++) {
		json_object(j, NULL);
		json_integer(j, "level", caches[i].level);
		json_string(j, "type", types[caches[i].type & 3]);
		json_integer(j, "bytes", caches[i].bytes);
		json_integer(j, "ways", caches[i].ways);
		json_integer(j, "line_bytes", caches[i].line_bytes);
		json_integer(j, "shared_by", caches[i].shared_by);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_tsc(struct json *j, const struct facts *f)
{
	json_number(j, "tsc_hz", f->tsc_hz);
	json_string(j, "tsc_source", f->tsc_source);
	json_array(j, "tsc_sources");
	for (unsigned i = 0; i < f->tsc_sources; i++) {
		json_object(j, NULL);
		json_string(j, "name", f->tsc[i].name);
		if (f->tsc[i].hz > 0)
			json_number(j, "hz", f->tsc[i].hz);
		else
			json_null(j, "hz");
		json_bool(j, "claimed", f->tsc[i].claimed);
		json_object_end(j);
	}
	json_array_end(j);
	json_number(j, "tsc_disagree_ppm", f->tsc_disagree_ppm);
	json_bool(j, "tsc_invariant", f->tsc_invariant);
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

static void put_counts_known(struct json *j, struct env *env)
{
	struct quiet q = { 0 };

	env->quiet_begin(env, &q);
	env->quiet_end(env, &q);
	json_array(j, "counts");
	for (unsigned i = 0; i < COUNTS; i++)
		if (q.known & counts[i].bit)
			json_string(j, NULL, counts[i].name);
	json_array_end(j);
}

static void put_pages(struct bench *b, struct json *j)
{
	static const size_t sizes[] = { PAGE_4K, PAGE_2M, PAGE_1G };

	json_array(j, "pages");
	for (unsigned i = 0; i < 3; i++)
		if (b->env->facts.pages & sizes[i])
			json_integer(j, NULL, sizes[i]);
	json_array_end(j);
	json_integer(j, "arena_bytes", b->arena.bytes);
}

void emit_run(struct bench *b)
{
	static const char *const profiles[] = { "smoke", "default", "full" };
	struct json *j = begin(b, "run");
	const struct facts *f = &b->env->facts;

	json_string(j, "schema", SCHEMA);
	json_string(j, "build", f->build);
	json_string(j, "compiler", "gcc " __VERSION__);
	put_cpu(j, b->env);
	put_caches(j, b->env);
	json_integer(j, "cpus", f->cpus);
	json_bool(j, "emulated", f->emulated);
	json_string(j, "hypervisor", f->hypervisor);
	put_tsc(j, f);
	json_number(j, "core_hz", b->core_hz);
	put_pages(b, j);
	if (f->memory_bytes)
		json_integer(j, "memory_bytes", f->memory_bytes);
	json_integer(j, "seed", b->opt->seed);
	json_string(j, "profile", profiles[b->opt->profile]);
	json_string(j, "probes", b->opt->probes);
	put_counts_known(j, b->env);
	if (b->env->describe)
		b->env->describe(b->env, j);
	end(b);
}

static void put_identity(struct json *j, const struct row *row)
{
	json_string(j, "probe", row->probe->name);
	json_string(j, "variant", row->variant);
	if (row->place)
		json_string(j, "place", row->place);
	for (unsigned i = 0; i < row->nparams; i++)
		json_number(j, row->params[i].name, row->params[i].value);
}

static void put_happened(struct json *j, const struct quiet *q)
{
	for (unsigned i = 0; i < COUNTS; i++)
		if (q->known & counts[i].bit)
			json_integer(j, counts[i].name,
				*(const uint64_t *)((const char *)q + counts[i].offset));
}

static void put_values(struct json *j, const struct result *r, const double *values,
	const bool *flagged)
{
	json_array(j, "values");
	for (unsigned i = 0; i < r->samples; i++)
		json_number(j, NULL, values[i]);
	json_array_end(j);
	if (!r->disturbed)
		return;
	json_array(j, "flags");
	for (unsigned i = 0; i < r->samples; i++)
		if (flagged[i])
			json_integer(j, NULL, i);
	json_array_end(j);
}

void emit_row(struct bench *b, const struct result *r, const double *values, const bool *flagged)
{
	struct json *j = begin(b, "row");

	put_identity(j, r->row);
	if (r->page_bytes)
		json_integer(j, "page_bytes", r->page_bytes);
	json_string(j, "unit", r->row->unit->name);
	json_integer(j, "samples", r->samples);
	json_number(j, "min", r->min);
	json_number(j, "median", r->median);
	json_number(j, "p90", r->p90);
	json_number(j, "p99", r->p99);
	json_number(j, "max", r->max);
	json_number(j, "mean", r->mean);
	json_number(j, "mad", r->mad);
	if (r->cycles > 0)
		json_number(j, "cycles", r->cycles);
	if (r->core_hz > 0)
		json_number(j, "core_hz", r->core_hz);
	json_number(j, "overhead_ticks", r->overhead_ticks);
	json_integer(j, "disturbed", r->disturbed);
	json_integer(j, "outliers", r->outliers);
	json_number(j, "ops", r->ops);
	put_happened(j, &r->happened);
	json_string(j, "origin", "measured");
	put_values(j, r, values, flagged);
	end(b);
	b->rows++;
}

void emit_skip(struct bench *b, const struct probe *probe, const struct row *row,
	const char *reason)
{
	struct json *j = begin(b, "skip");

	if (row)
		put_identity(j, row);
	else
		json_string(j, "probe", probe->name);
	json_string(j, "reason", reason);
	end(b);
	b->skips++;
}

void emit_summary(struct bench *b, const struct summary *s)
{
	struct json *j = begin(b, "summary");

	json_string(j, "name", s->name);
	json_number(j, "value", s->value);
	json_string(j, "unit", s->unit);
	if (s->low < s->high) {
		json_number(j, "low", s->low);
		json_number(j, "high", s->high);
	}
	json_number(j, "claimed", s->claimed);
	if (s->value == s->value && s->claimed == s->claimed)
		json_bool(j, "agrees", summary_agrees(s));
	json_number(j, "confidence", s->confidence);
	json_string(j, "rests_on", s->rests_on);
	if (s->reason)
		json_string(j, "reason", s->reason);
	end(b);
	b->summaries++;
}

void emit_end(struct bench *b, const char *status, const char *why)
{
	uint32_t crc_all = b->emit->crc_all;
	struct json *j = begin(b, "end");
	char crc[9];

	json_string(j, "status", status);
	if (why)
		json_string(j, "why", why);
	json_integer(j, "rows", b->rows);
	json_integer(j, "summaries", b->summaries);
	json_integer(j, "skips", b->skips);
	json_integer(j, "lines", b->emit->seq);
	json_number(j, "seconds",
		ticks_to_ns(b, (double)(b->env->now(b->env) - b->start_ticks)) / 1e9);
	if (b->env->conclude)
		b->env->conclude(b->env, j);
	for (unsigned i = 0; i < 8; i++)
		crc[i] = "0123456789abcdef"[crc_all >> (28 - 4 * i) & 15];
	crc[8] = 0;
	json_string(j, "crc_all", crc);
	end(b);
}
