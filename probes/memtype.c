/* SPDX-License-Identifier: MIT */
/* Memory types: the same small memory write-back, write-combining and uncached. */
#include "probes/probe.h"
#include "engine/chain.h"
#include "probes/streams.h"

#define BYTES   (256 * KIB)
#define MAPPED  (2 * MIB)
#define NODE    64
#define LOADS   (BYTES / NODE)
#define WIDTH   1 /* of `widths`: 64 bits, the widest that any memory takes at once */
#define PATTERN 0x3c3c3c3c3c3c3c3cULL

enum { LATENCY, READ, WRITE, KINDS };

#define TYPES (CACHE_NONE + 1)

static const char *const variants[TYPES][KINDS] = {
	[CACHE_BACK] = { "wb-latency", "wb-read", "wb-write" },
	[CACHE_COMBINING] = { "wc-latency", "wc-read", "wc-write" },
	[CACHE_NONE] = { "uc-latency", "uc-read", "uc-write" },
};

static void next_walk(struct bench *b, struct job *job)
{
	struct chain *c = job->priv;

	(void)b;
	job->args[0] = job->expect = chain_at(c, CHAIN_POINTER, c->position);
}

/* One walk around the whole cycle, which ends where it began. */
static int prepare_latency(struct bench *b, struct job *job)
{
	struct chain *c = row_alloc(b, sizeof *c);

	if (!c || chain_layout(c, &job->arena, LOADS, NODE))
		return job_skip(job, "no scratch memory");
	chain_order_random(c, &b->random);
	chain_link(c, CHAIN_POINTER);
	job->loop = loop_chase;
	job->args[1] = LOADS / 16;
	job->empty_args[0] = chain_at(c, CHAIN_POINTER, 0);
	job->refresh = next_walk;
	job->priv = c;
	job->ops = LOADS;
	return 0;
}

static bool written(struct bench *b, const struct job *job)
{
	(void)b;
	return streams_filled(job->arena.base, BYTES, widths[WIDTH].bits, PATTERN);
}

static int prepare_stream(struct bench *b, struct job *job, bool writes)
{
	uint64_t *word = (uint64_t *)job->arena.base;

	for (uint64_t i = 0; i < BYTES / 8; i++)
		word[i] = random_next(&b->random);
	job->loop = writes ? widths[WIDTH].write : widths[WIDTH].read;
	job->args[0] = job->empty_args[0] = (uintptr_t)word;
	job->args[1] = job->empty_args[1] = BYTES;
	job->args[2] = 1;
	job->args[3] = job->empty_args[3] = PATTERN;
	job->expect = writes ? BYTES : streams_sum(job->arena.base, BYTES, widths[WIDTH].bits);
	job->check = writes ? written : NULL;
	job->ops = BYTES;
	return 0;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const char *why = "no choice of memory types here";

	b->arena_page = 0; /* the next row wants ordinary memory */
	if (!b->env->cache_as || b->env->cache_as(b->env, row->key[0], MAPPED, &why))
		return job_skip(job, "%s", why);
	return row->key[1] == LATENCY ? prepare_latency(b, job)
				      : prepare_stream(b, job, row->key[1] == WRITE);
}

/* Uncached accesses go to memory one by one. */
static double cost(const struct bench *b, unsigned type, unsigned kind)
{
	return 24 * (double)(kind == LATENCY ? LOADS : BYTES / 8) *
		(type == CACHE_BACK ? b->pace.ns_per_near_load : b->pace.ns_per_far_load);
}

void probe_memtype_plan(struct bench *b, unsigned stage)
{
	for (unsigned type = TYPES; stage && type--;)
		for (unsigned kind = 0; kind < KINDS; kind++) {
			struct row row = row_new(variants[type][kind],
				kind == LATENCY ? &unit_ns_load : &unit_gbs, RANK_DETAIL, prepare);

			row.page_bytes = PAGE_2M;
			row.key[0] = type;
			row.key[1] = kind;
			row.cost_ns = cost(b, type, kind);
			row_param(&row, "bytes", BYTES);
			plan_add(b, &row);
		}
}

static void compare(struct bench *b, const char *variant, const char *with, const char *what)
{
	const struct result *r = find_result(b, "memtype", variant, NULL, 0);
	const struct result *usual = find_result(b, "memtype", with, NULL, 0);

	if (r && usual)
		say(b, "  %s: %.2f %s, %.2f where it is cached.\n", what, r->median,
			r->row->unit->name, usual->median);
}

void probe_memtype_meaning(struct bench *b)
{
	compare(b, "uc-latency", "wb-latency", "An uncached load");
	compare(b, "wc-write", "wb-write", "Combined writes");
	compare(b, "wc-read", "wb-read", "Combining reads");
}
