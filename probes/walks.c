/* SPDX-License-Identifier: MIT */
/*
 * Page walks by what they must read: a load whose translation was thrown away, less one that has
 * its own, with the tables' lines in the caches or flushed. And the code's translations.
 */
#include "engine/core_clock.h"
#include "engine/find.h"
#include "probes/probe.h"
#include "probes/walks_code.h"

#define ROUNDS 256 /* in a call */
#define SLOW   500 /* near loads that what throws translations away is said to take */

#define TABLE_BITS 9  /* of an address, that choose an entry of a table */
#define APART      17 /* entries of a table between both pages: eight share a line, and */
#define APART_1G   1  /* where an entry is for 1 GiB the arena has no more */
#define REGION_MAX 3  /* entries that differ at most: both pages lie in the same 512 GiB */

#define BESIDE 640 /* bytes from the first page's word to the control's, and */
#define WITHIN 320 /* to that of the second page, in its page: each another line */

static const struct throwing {
	const char *variant;
	loop_fn *loop;
	bool alone; /* the one page's translation, and all of the upper tables */
} cr3 = { "cr3", loop_walk_cr3, false }, invlpg = { "invlpg", loop_walk_invlpg, true };

static const size_t sizes[] = { PAGE_4K, PAGE_2M, PAGE_1G };

enum { SIZES = sizeof sizes / sizeof *sizes };

/* What a row measures. */
struct walk_spec {
	const struct throwing *throwing;
	unsigned reads; /* entries of tables, from the page's own up: else held by the first walk */
	unsigned flushed; /* of these, the lines */
};

struct walk {
	uint64_t first[2]; /* words that lead to the page and to the control */
	uint64_t word[2];  /* what is there */
	uint64_t page;
	unsigned flushed;
	uint64_t lines[TABLE_LEVELS];
};

/* Tables that a walk of such a page reads from the first one on; of a room that does not say, 4. */
static unsigned levels_of(const struct bench *b, unsigned size)
{
	unsigned all = b->room->facts.table_levels;

	return (all ? all : 4) - size;
}

/*
 * Two pages whose entries differ in the lowest `reads` tables and no others. false: the arena has
 * none.
 */
static bool place(const struct arena *a, unsigned reads, uint64_t *first, uint64_t *second)
{
	uint64_t covers = a->page_bytes << TABLE_BITS * (reads - 1), all = covers << TABLE_BITS;
	uint64_t apart = covers * (covers < PAGE_1G ? APART : APART_1G);
	uint64_t base = (uintptr_t)a->base, at = base;

	if (at / all != (at + apart) / all)
		at = (at / all + 1) * all;
	*first = at;
	*second = at + apart;
	return at + apart + a->page_bytes <= base + a->bytes;
}

/* Ticks of all rounds by one of both ways. -1: the proof failed. */
static int walk_rounds(struct bench *b, struct job *job, unsigned way, double *ticks)
{
	const struct walk *w = job->priv;
	const struct walk_spec *spec = row_spec(job->row, struct walk_spec);
	const uint64_t args[LOOP_ARGS] = { ROUNDS, w->first[way], (uintptr_t)w->lines, w->flushed,
		w->page };
	struct timed t = call_loop(b, spec->throwing->loop, args);

	*ticks = (double)t.ticks;
	if (t.value == ROUNDS * w->word[way])
		return 0;
	return job_disproved(job, "the loads found other words");
}

static int sampler(struct bench *b, struct job *job, struct sample *s)
{
	double walked, held;

	if (walk_rounds(b, job, 0, &walked) || walk_rounds(b, job, 1, &held))
		return -1;
	s->value = ticks_to_ns(b, walked - held) / ROUNDS;
	s->control = ticks_to_ns(b, held) / ROUNDS;
	s->core_hz = core_clock_now(b);
	return 0;
}

/* Which lines are flushed: of the page's own entry, and of those above it. */
static int find_lines(struct bench *b, struct job *job, struct walk *w)
{
	uint64_t *entries[TABLE_LEVELS];
	unsigned n = 0;

	if (b->room->table_entries)
		n = b->room->table_entries(b->room, w->page, entries);
	if (n < w->flushed || n != (unsigned)row_get(job->row, "levels", 0))
		return job_skip(job, "the page tables are others than planned");
	for (unsigned i = 0; i < w->flushed; i++)
		w->lines[i] = (uintptr_t)entries[n - 1 - i];
	return 0;
}

/* Once for a try: the machine may refuse it. */
static int try_once(struct bench *b, struct job *job, const struct walk *w, loop_fn *loop)
{
	const uint64_t once[LOOP_ARGS] = { 1, w->first[0], (uintptr_t)w->lines, 0, w->page };
	const char *why;

	if (!b->room->attempt)
		return job_skip(job, "no privileged instructions in this room");
	if (b->room->attempt(b->room, loop, once, NULL, &why))
		return job_skip(job, "the machine refuses it: %s", why);
	return 0;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct walk_spec *spec = row_spec(row, struct walk_spec);
	struct walk *w = job_alloc(b, job, sizeof *w);
	uint64_t first, *word;

	if (!w)
		return -1;
	if (job->arena.page_bytes != row->page_bytes)
		return job_skip(job, "pages of %llu KiB cannot be had",
			(unsigned long long)(row->page_bytes / KIB));
	/* Of a page that is thrown away alone the first one's place is all the same. */
	if (!place(&job->arena, spec->throwing->alone ? 1 : spec->reads, &first, &w->page))
		return job_skip(job, "the arena has no two pages so far apart");
	word = (uint64_t *)first;
	word[0] = w->page + WITHIN;
	word[1] = first + BESIDE;
	for (unsigned way = 0; way < 2; way++) {
		w->first[way] = (uintptr_t)&word[way];
		*(uint64_t *)word[way] = w->word[way] = random_next(&b->random);
	}
	w->flushed = spec->flushed;
	if (find_lines(b, job, w) || try_once(b, job, w, spec->throwing->loop))
		return -1;
	job->priv = w;
	job->sampler = sampler;
	return 0;
}

static void plan_walk(struct bench *b, unsigned size, const struct walk_spec *spec)
{
	bool first = !size && spec->throwing == &cr3 && spec->reads == 1;
	struct row row = row_new(spec->throwing->variant, &unit_ns_load,
		first ? ANSWER_WALK : ANSWER_WALKS, prepare);

	*row_spec(&row, struct walk_spec) = *spec;
	row.needs = NEED_RING0 | NEED_CLFLUSH;
	row.page_bytes = sizes[size];
	row.cost_ns = 2 * 12 *
		(b->pace.ns_per_call +
			ROUNDS *
				(SLOW * b->pace.ns_per_near_load +
					2 * spec->flushed * b->pace.ns_per_far_load));
	row_param(&row, "levels", levels_of(b, size));
	row_param(&row, "reads", spec->reads);
	row_param(&row, "flushed", spec->flushed);
	plan_add(b, &row);
}

static void plan_size(struct bench *b, unsigned size)
{
	struct walk_spec spec = { .throwing = &cr3 };

	for (spec.reads = 1; spec.reads <= REGION_MAX - size; spec.reads++)
		plan_walk(b, size, &spec);
	spec = (struct walk_spec){ .throwing = &invlpg, .reads = levels_of(b, size) };
	for (; spec.flushed <= spec.reads; spec.flushed++)
		plan_walk(b, size, &spec);
}

static void walks_plan(struct bench *b)
{
	for (unsigned size = 0; size < SIZES; size++)
		if (!size || (b->room->facts.pages & sizes[size]))
			plan_size(b, size);
	walks_code_plan(b);
}

/* Of the row with these parameters. */
static struct estimate walk_estimate(const struct bench *b, unsigned size,
	const struct throwing *throwing, unsigned reads, unsigned flushed)
{
	const struct param params[] = { { "levels", levels_of(b, size) }, { "reads", reads },
		{ "flushed", flushed } };
	const struct result *r = find_row(b, throwing->variant, params, 3);

	return r ? plain_estimate(row_cycles(b, r), row_confidence(r)) : not_resolved(NOT_MEASURED);
}

static void walks_find(struct bench *b)
{
	static const char *const names[SIZES][3] = {
		{ "walk_leaf_4k_cycles", "walk_root_4k_cycles", "walk_memory_4k_cycles" },
		{ "walk_leaf_2m_cycles", "walk_root_2m_cycles", "walk_memory_2m_cycles" },
		{ "walk_leaf_1g_cycles", "walk_root_1g_cycles", "walk_memory_1g_cycles" },
	};

	if (b->reading == READ_FLOOR) /* of a difference: probes/tlb.c */
		return;
	for (unsigned size = 0; size < SIZES; size++) {
		unsigned all = levels_of(b, size);
		const struct estimate values[] = { walk_estimate(b, size, &cr3, 1, 0),
			walk_estimate(b, size, &invlpg, all, 0),
			walk_estimate(b, size, &invlpg, all, all) };

		for (unsigned i = 0; i < 3; i++)
			found(b, names[size][i], "cycles", values[i], NOT_A_NUMBER,
				i ? "walks invlpg" : "walks cr3");
	}
	walks_code_find(b);
}

const struct hooks probe_walks = {
	.plan = walks_plan,
	.plan_edges = walks_code_plan_edges,
	.find = walks_find,
};
