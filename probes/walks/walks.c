/* SPDX-License-Identifier: MIT */
/*
 * Page walks by what they must read: a load whose translation was thrown away, less one that has
 * its own, with the tables' lines in the caches or flushed. And the code's translations.
 */
#include "lib/permutation.h"
#include "engine/core_clock.h"
#include "engine/find.h"
#include "engine/room_cpuid.h"
#include "probes/generated_code.h"
#include "probes/probe.h"

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
} cr3 = { "cr3", loop_walk_cr3 }, invlpg = { "invlpg", loop_walk_invlpg, true };

static const size_t sizes[] = PAGE_SIZES;

enum { SIZES = sizeof sizes / sizeof *sizes };

/* Parameters of a row. */
struct walk_spec {
	const struct throwing *throwing;
	unsigned reads; /* entries of tables, from the page's own up: else held by the first walk */
	unsigned flushed; /* of these, the lines */
};

struct flushed_walk {
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
	const struct flushed_walk *w = job->priv;
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

/* Find the lines to be flushed: of the page's own entry, and of those above it. */
static int find_lines(struct bench *b, struct job *job, struct flushed_walk *w)
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
static int try_once(struct bench *b, struct job *job, const struct flushed_walk *w, loop_fn *loop)
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
	struct flushed_walk *w = job_alloc(b, job, sizeof *w);
	uint64_t first, *word;

	if (!w)
		return -1;
	if (job->arena.page_bytes != row->page_bytes)
		return job_skip(job, "pages of %llu KiB cannot be had",
			(unsigned long long)(row->page_bytes / KIB));
	/* If a page is thrown away alone, the place of the first page does not matter. */
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

/* Returns the estimate of the row with these parameters. */
static struct estimate walk_estimate(const struct bench *b, enum reading reading, unsigned size,
	const struct throwing *throwing, unsigned reads, unsigned flushed)
{
	const struct param params[] = { { "levels", levels_of(b, size) }, { "reads", reads },
		{ "flushed", flushed } };
	const struct result *r = find_row(b, throwing->variant, params, 3);

	return r ? plain_estimate(row_cycles(r, reading), row_confidence(r))
		 : not_resolved(NOT_MEASURED);
}

/* --- the code's translations: jumps from page to page, less the same jumps in a few pages --- */

#define CODE_MOST      (4 * MIB) /* that the image has for code */
#define CONTROL_PAGES  16        /* fewer than any first level has */
#define LINE           64
#define LINES          (PAGE_4K / LINE)
#define PAGES_LEAST    8
#define PAGES_MOST     1024 /* of the control's lines each is used once */
#define GROUP_JOINED   4    /* pages, of which AMD's processors make one entry */
#define JUMPS_PER_CALL 16384
#define WARM_LAPS      2
#define TRANSLATE_NS   30000.0 /* an emulator translates each jump when it first meets it */

#define FIRST_MOST      1.5  /* core cycles that a jump seems to cost without a miss, at most */
#define MISS_CONFIDENCE 0.9  /* a whole plateau */
#define SOFT_LOSS       0.25 /* confidence lost by an edge that is spread over the rise */
#define LOOP_PAGES      1    /* the loop that calls the jumps has a page of its own */

static const char code_variant[] = "code-pages";

static const struct unit unit_ns_jump = { "ns/jump", SCALE_NS };

/* Parameters of a row. */
struct code_pages {
	uint64_t pages;
	unsigned group; /* of so many pages one is used */
};

struct jumps {
	uint64_t entry[2]; /* of the jumps from page to page, and of the control's */
	uint64_t laps, pages;
};

/* The places of a lap's jumps. */
struct jump_path {
	const uint32_t *page;      /* of all n, in the order visited; NULL: the control's */
	const unsigned char *line; /* each 64 jumps use each line of a page once */
	uint64_t base, stride;
};

static uint64_t jump_at(const struct jump_path *p, uint64_t k)
{
	uint64_t line = p->line[k], page = (line + k / LINES) % CONTROL_PAGES;

	return p->base + (p->page ? p->page[k] : page) * p->stride + line * LINE;
}

/* n - 1 jumps and a return; what is behind each is never executed. */
static void put_path(struct code_block *c, const struct jump_path *p, uint64_t n)
{
	for (uint64_t k = 0; k < n; k++) {
		c->at = jump_at(p, k);
		if (k + 1 < n)
			code_near(c, INSN_JUMP, jump_at(p, k + 1));
		else
			code_put(c, INSN_RETURN, 1);
		code_put(c, INSN_TRAP, 1);
	}
}

static void draw_lines(struct bench *b, unsigned char *line, uint64_t n)
{
	for (uint64_t k = 0; k < n; k++) {
		uint64_t from = k / LINES * LINES,
			 other = from + random_below(&b->random, k - from + 1);

		line[k] = line[other];
		line[other] = (unsigned char)(k - from);
	}
}

/* Ticks of all laps of one of both, after some in calls before. -1: the proof failed. */
static int jump_laps(struct bench *b, struct job *job, unsigned which, double *ticks)
{
	const struct jumps *j = job->priv;
	const uint64_t warm[LOOP_ARGS] = { j->entry[which], WARM_LAPS };
	const uint64_t args[LOOP_ARGS] = { j->entry[which], j->laps };
	uint64_t warmed = call_loop(b, loop_timed_call, warm).value;
	struct timed t = call_loop(b, loop_timed_call, args);

	*ticks = (double)t.ticks;
	if (warmed == WARM_LAPS && t.value == j->laps)
		return 0;
	return job_disproved(job, "other laps than wanted");
}

static int code_sampler(struct bench *b, struct job *job, struct sample *s)
{
	const struct jumps *j = job->priv;
	double all = (double)(j->laps * j->pages), spread, control;

	if (jump_laps(b, job, 0, &spread) || jump_laps(b, job, 1, &control))
		return -1;
	s->value = ticks_to_ns(b, spread - control) / all;
	s->control = ticks_to_ns(b, control) / all;
	s->core_hz = core_clock_now(b);
	return 0;
}

static uint64_t spread_bytes(const struct code_pages *spec)
{
	return spec->pages * spec->group * PAGE_4K;
}

static int code_prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct code_pages *spec = row_spec(row, struct code_pages);
	uint64_t n = spec->pages, taken = spread_bytes(spec);
	uint32_t *order = job_alloc(b, job, n * sizeof *order);
	struct jumps *j = job_alloc(b, job, sizeof *j);
	unsigned char *line = job_alloc(b, job, PAGES_MOST);
	struct code_block c;

	if (!order || !j || !line)
		return -1;
	if (code_memory_open(b, job, &c, taken + CONTROL_PAGES * PAGE_4K))
		return -1;
	permutation_list(order, n, &b->random);
	draw_lines(b, line, n);
	const struct jump_path paths[2] = { { order, line, 0, spec->group * PAGE_4K },
		{ NULL, line, taken, PAGE_4K } };

	for (unsigned i = 0; i < 2; i++) {
		put_path(&c, &paths[i], n);
		j->entry[i] = (uintptr_t)c.base + jump_at(&paths[i], 0);
	}
	if (code_memory_seal(b, job, &c))
		return -1;
	j->pages = n;
	j->laps = JUMPS_PER_CALL / n;
	job->priv = j;
	job->sampler = code_sampler;
	return 0;
}

static void plan_pages(struct bench *b, uint64_t pages, row_adder *add)
{
	struct code_pages spec = { pages, room_has_amd_leaves(b->room) ? GROUP_JOINED : 1 };
	struct row row = row_new(code_variant, &unit_ns_jump, ANSWER_CODE_PAGES, code_prepare);

	if (spread_bytes(&spec) + CONTROL_PAGES * PAGE_4K > CODE_MOST)
		return;
	*row_spec(&row, struct code_pages) = spec;
	row.needs = NEED_CODE;
	row.cost_ns = (b->room->facts.emulated ? 2 * (double)pages * TRANSLATE_NS : 0) +
		2 * 12 *
			(2 * b->pace.ns_per_call + 2.0 * JUMPS_PER_CALL * b->pace.ns_per_near_load);
	row_param(&row, "pages", (double)pages);
	row_param(&row, "stride_bytes", (double)(spec.group * PAGE_4K));
	add(b, &row);
}

static void code_plan(struct bench *b)
{
	/* In each profile: they take no time, and half as many do not show a soft edge. */
	static const double fractions[] = { 1, 1.189207, 1.414214, 1.681793 };

	for (uint64_t octave = PAGES_LEAST; octave < PAGES_MOST; octave *= 2)
		for (unsigned i = 0; i < sizeof fractions / sizeof *fractions; i++)
			plan_pages(b, (uint64_t)((double)octave * fractions[i] + 0.5), plan_add);
}

/* The curve's steps. NULL, or why there is none. */
static const char *steps(const struct bench *b, const struct reader *reader, struct curve *c,
	struct staircase *s)
{
	const struct pick pick = { .variant = code_variant, .x = "pages", .cycles = true };

	if (!take_curve(reader, &pick, c))
		return NOT_MEASURED;
	c->offset = entry_rules.offset;
	curve_leave_usable(c, "pages");
	if (!infer_staircase(c->point, c->n, &entry_rules, s))
		return s->reason;
	if (!s->level[0].hidden && s->level[0].y > FIRST_MOST)
		return "it ends before the smallest count";
	return s->count > 1 || s->rising ? NULL : "no step up to the most pages";
}

static void code_plan_edges(struct bench *b, struct reader *reader)
{
	const struct resolution one = { .grain = 1, .ratio = 1 };
	struct curve *c = row_alloc(b, sizeof *c);
	struct staircase s;

	if (!c || steps(b, reader, c, &s))
		return;
	double next = infer_bisect_bracket(&s.level[0].edge, &one);

	if (math_finite(next))
		plan_pages(b, (uint64_t)next, plan_between);
}

/*
 * Widen the bracket of an edge if half of a miss is reached only beyond it: earlier misses may be
 * those of sets, or another thread's, and the level may end up to there. The level holds the loop's
 * page, too.
 */
static void correct_entries(struct estimate *e, const struct curve *c, double miss)
{
	unsigned i = 0;

	while (i < c->n && c->point[i].y < miss / 2)
		i++;
	if (i < c->n && c->point[i].x > e->high) {
		e->high = c->point[i].x;
		e->confidence *= 1 - SOFT_LOSS;
	}
	e->value += LOOP_PAGES;
	e->low += LOOP_PAGES;
	e->high += LOOP_PAGES;
}

static void code_find(struct bench *b, struct found_values *f)
{
	static const char rests_on[] = "walks code-pages over pages";
	struct curve *c = row_alloc(b, sizeof *c);
	struct staircase s;

	if (!c)
		return;
	const char *why = steps(b, &f->reader, c, &s);
	const struct stair *next = &s.level[1];
	struct estimate entries, miss = entries = not_resolved(why);

	if (!why) {
		entries = edge_of(&f->reader, c, s.level[0].edge);
		miss = infer_flat_beyond(c->point, c->n, entries.value);
		if (s.count > 1 && !next->hidden)
			miss = time_on_curve(plain_estimate(next->y, MISS_CONFIDENCE), c,
				next->first, next->last);
		correct_entries(&entries, c, miss.value);
	}
	found(f, VALUE_itlb_4k_entries, entries, rests_on);
	found(f, VALUE_itlb_miss_cycles, miss, rests_on);
}

/* --- the probe --- */

static void walks_plan(struct bench *b)
{
	for (unsigned size = 0; size < SIZES; size++)
		if (!size || (b->room->facts.pages & sizes[size]))
			plan_size(b, size);
	code_plan(b);
}

static void walks_find(struct bench *b, struct found_values *f)
{
	static const enum value_id ids[SIZES][3] = {
		{ VALUE_walk_leaf_4k_cycles, VALUE_walk_root_4k_cycles,
			VALUE_walk_memory_4k_cycles },
		{ VALUE_walk_leaf_2m_cycles, VALUE_walk_root_2m_cycles,
			VALUE_walk_memory_2m_cycles },
		{ VALUE_walk_leaf_1g_cycles, VALUE_walk_root_1g_cycles,
			VALUE_walk_memory_1g_cycles },
	};
	enum reading reading = f->reader.reading;

	for (unsigned size = 0; size < SIZES; size++) {
		unsigned all = levels_of(b, size);
		const struct estimate values[] = { walk_estimate(b, reading, size, &cr3, 1, 0),
			walk_estimate(b, reading, size, &invlpg, all, 0),
			walk_estimate(b, reading, size, &invlpg, all, all) };

		for (unsigned i = 0; i < 3; i++)
			found(f, ids[size][i], values[i], i ? "walks invlpg" : "walks cr3");
	}
	code_find(b, f);
}

const struct hooks probe_walks = {
	.plan = walks_plan,
	.plan_edges = code_plan_edges,
	.find = walks_find,
};
