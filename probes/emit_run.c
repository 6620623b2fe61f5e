/* SPDX-License-Identifier: MIT */
/* The run line: the machine and the circumstances. */
#include "probes/claims.h"
#include "probes/emit.h"

#define SCHEMA "anechoic/1"

static void put_cpu(struct line *l, struct env *env)
{
	struct cpu_claim cpu;

	claims_cpu(env, &cpu);
	line_object(l, "cpu");
	line_string(l, "vendor", cpu.vendor);
	line_string(l, "brand", cpu.brand);
	line_integer(l, "family", cpu.family);
	line_integer(l, "model", cpu.model);
	line_integer(l, "stepping", cpu.stepping);
	if (env->facts.microcode_known)
		line_integer(l, "microcode", env->facts.microcode);
	line_object_end(l);
}

static void put_caches(struct line *l, struct env *env)
{
	static const char *const types[] = { "none", "data", "instruction", "unified" };
	struct cache_claim caches[16];
	unsigned n = claims_caches(env, caches, 16);

	line_array(l, "caches_claimed");
	for (unsigned i = 0; i < n; i++) {
		line_object(l, NULL);
		line_integer(l, "level", caches[i].level);
		line_string(l, "type", types[caches[i].type & 3]);
		line_integer(l, "bytes", caches[i].bytes);
		line_integer(l, "ways", caches[i].ways);
		line_integer(l, "line_bytes", caches[i].line_bytes);
		line_integer(l, "shared_by", caches[i].shared_by);
		line_object_end(l);
	}
	line_array_end(l);
}

static void put_tsc(struct line *l, const struct facts *f)
{
	line_number(l, "tsc_hz", f->tsc_hz);
	line_string(l, "tsc_source", f->tsc_source);
	line_array(l, "tsc_sources");
	for (unsigned i = 0; i < f->tsc_sources; i++) {
		line_object(l, NULL);
		line_string(l, "name", f->tsc[i].name);
		if (f->tsc[i].hz > 0)
			line_number(l, "hz", f->tsc[i].hz);
		else
			line_null(l, "hz");
		line_bool(l, "claimed", f->tsc[i].claimed);
		line_object_end(l);
	}
	line_array_end(l);
	line_number(l, "tsc_disagree_ppm", f->tsc_disagree_ppm);
	line_bool(l, "tsc_invariant", f->tsc_invariant);
}

static void put_pages(struct bench *b, struct line *l)
{
	static const size_t sizes[] = { PAGE_4K, PAGE_2M, PAGE_1G };

	line_array(l, "pages");
	for (unsigned i = 0; i < 3; i++)
		if (b->env->facts.pages & sizes[i])
			line_integer(l, NULL, sizes[i]);
	line_array_end(l);
	line_integer(l, "arena_bytes", b->arena.bytes);
}

static void put_prefetch(struct line *l, const struct bench *b)
{
	static const char *const choices[] = { "on", "off", "both" };
	const struct prefetch *p = &b->prefetch;

	line_object(l, "prefetch");
	line_string(l, "asked", choices[b->opt->prefetch]);
	if (p->checked)
		line_bool(l, "works", !p->why);
	if (p->why)
		line_string(l, "why", p->why);
	if (p->off_ns > 0) {
		line_number(l, "sequential_on_ns", p->on_ns);
		line_number(l, "sequential_off_ns", p->off_ns);
	}
	line_object_end(l);
}

static void put_place(struct line *l, const char *key, uint32_t value)
{
	if (value != UINT32_MAX)
		line_integer(l, key, value);
}

static void put_places(struct line *l, const struct facts *f)
{
	if (!f->places)
		return;
	line_array(l, "places");
	for (unsigned i = 0; i < f->cpus; i++) {
		const struct cpu_place *p = &f->places[i];

		line_object(l, NULL);
		put_place(l, "id", p->id);
		put_place(l, "package", p->package);
		put_place(l, "die", p->die);
		put_place(l, "core", p->core);
		put_place(l, "thread", p->thread);
		put_place(l, "node", p->node);
		if (p->core_type)
			line_integer(l, "core_type", p->core_type);
		line_object_end(l);
	}
	line_array_end(l);
}

void emit_run(struct bench *b)
{
	static const char *const profiles[] = { "smoke", "default", "full" };
	struct line *l = emit_begin(b, "run");
	const struct facts *f = &b->env->facts;

	line_string(l, "schema", SCHEMA);
	line_string(l, "build", f->build);
	line_string(l, "compiler", "gcc " __VERSION__);
	put_cpu(l, b->env);
	put_caches(l, b->env);
	line_integer(l, "cpus", f->cpus);
	put_places(l, f);
	line_bool(l, "emulated", f->emulated);
	line_string(l, "hypervisor", f->hypervisor);
	put_tsc(l, f);
	line_number(l, "core_hz", b->core_hz);
	line_integer(l, "node_bytes", b->node_bytes);
	put_pages(b, l);
	if (f->memory_bytes)
		line_integer(l, "memory_bytes", f->memory_bytes);
	line_integer(l, "seed", b->opt->seed);
	line_string(l, "profile", profiles[b->opt->profile]);
	line_string(l, "probes", b->opt->probes);
	put_prefetch(l, b);
	emit_counts_known(l, b->env);
	if (b->env->describe)
		b->env->describe(b->env, l);
	emit_line(b);
}
