/* SPDX-License-Identifier: MIT */
/* Memory types: the same small memory write-back, write-combining and uncached. */
#include "probes/probe.h"

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

/* Parameters of a row. */
struct memtype_spec {
	enum caching type;
	unsigned kind;
};

static void next_walk(struct bench *b, struct job *job)
{
	struct chain *c = job->priv;

	job->args[0] = job->expect = chain_at(c, CHAIN_POINTER, c->position);
}

/* One walk around the whole cycle, which ends where it began. */
static int prepare_latency(struct bench *b, struct job *job)
{
	struct chain *c = job_alloc(b, job, sizeof *c);

	if (!c)
		return -1;
	if (chain_layout(c, &job->arena, LOADS, NODE))
		return job_too_large(job, BYTES);
	chain_order_random(c, &b->random);
	if (job_link(b, job, c, CHAIN_POINTER))
		return -1;
	const uint64_t args[LOOP_ARGS] = { chain_at(c, CHAIN_POINTER, 0), LOADS / 16 };

	job_call(job, loop_chase, 1, args);
	job->refresh = next_walk;
	job->priv = c;
	job->ops = LOADS;
	return 0;
}

static bool written(struct bench *b, const struct job *job)
{
	return streams_filled(job->arena.base, BYTES, widths[WIDTH].bits, PATTERN);
}

static int prepare_stream(struct bench *b, struct job *job, bool writes)
{
	uint64_t *word = (uint64_t *)job->arena.base;

	for (uint64_t i = 0; i < BYTES / 8; i++)
		word[i] = random_next(&b->random);
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)word, BYTES, 1, PATTERN };

	job_call(job, writes ? widths[WIDTH].write : widths[WIDTH].read, 2, args);
	job->expect = writes ? BYTES : streams_sum(job->arena.base, BYTES, widths[WIDTH].bits);
	job->check = writes ? written : NULL;
	job->ops = BYTES;
	return 0;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct memtype_spec *spec = row_spec(row, struct memtype_spec);
	const char *why = "no choice of memory types here";

	b->arena_page = 0; /* the next row wants ordinary memory */
	if (!b->room->cache_as || b->room->cache_as(b->room, spec->type, MAPPED, &why))
		return job_skip(job, "%s", why);
	return spec->kind == LATENCY ? prepare_latency(b, job)
				     : prepare_stream(b, job, spec->kind == WRITE);
}

/* Uncached accesses go to memory one by one. */
static double cost(const struct bench *b, unsigned type, unsigned kind)
{
	return 24 * (double)(kind == LATENCY ? LOADS : BYTES / 8) *
		(type == CACHE_BACK ? b->pace.ns_per_near_load : b->pace.ns_per_far_load);
}

static void memtype_plan(struct bench *b)
{
	for (unsigned type = TYPES; type--;)
		for (unsigned kind = 0; kind < KINDS; kind++) {
			struct row row = row_new(variants[type][kind],
				kind == LATENCY ? &unit_ns_load : &unit_gbs, ANSWER_MEMORY_TYPES,
				prepare);

			row.page_bytes = PAGE_2M;
			*row_spec(&row, struct memtype_spec) = (struct memtype_spec){ type, kind };
			row.cost_ns = cost(b, type, kind);
			row_param(&row, "bytes", BYTES);
			plan_add(b, &row);
		}
}

/* A row beside its twin in write-back memory. */
static void compare(struct bench *b, enum caching type, unsigned kind, const char *what)
{
	const struct result *r = find_row(b, variants[type][kind], NULL, 0);
	const struct result *cached = find_row(b, variants[CACHE_BACK][kind], NULL, 0);

	if (r && cached)
		say(b, "  %s: %.2f %s, %.2f where it is cached.\n", what, r->median,
			r->row->unit->name, cached->median);
}

static void memtype_meaning(struct bench *b)
{
	compare(b, CACHE_NONE, LATENCY, "An uncached load");
	compare(b, CACHE_COMBINING, WRITE, "Stores to write-combining memory");
	compare(b, CACHE_COMBINING, READ, "Loads from write-combining memory");
}

const struct hooks probe_memtype = {
	.plan = memtype_plan,
	.meaning = memtype_meaning,
};
