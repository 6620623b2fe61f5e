/* SPDX-License-Identifier: MIT */
/*
 * Jumps from page to page, one in each of n, less the same jumps in a few pages: what the
 * translations of code cost.
 */
#include "probes/walks_code.h"

#include "engine/chain.h"
#include "engine/core_clock.h"
#include "engine/find.h"
#include "engine/room_cpuid.h"
#include "probes/generated_code.h"

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

enum { JUMP_NEAR = 0xe9, RETURN = 0xc3, INT3 = 0xcc };

static const char variant[] = "code-pages";

static const struct unit unit_ns_jump = { "ns/jump", SCALE_NS };

/* What a row measures. */
struct code_pages {
	uint64_t pages;
	unsigned group; /* of so many pages one is used */
};

struct jumps {
	uint64_t entry[2]; /* of the jumps from page to page, and of the control's */
	uint64_t laps, pages;
};

/* Where jump k of a lap is. */
struct path {
	const uint32_t *page;      /* of all n, in the order visited; NULL: the control's */
	const unsigned char *line; /* each 64 jumps use each line of a page once */
	uint64_t base, stride;
};

static uint64_t jump_at(const struct path *p, uint64_t k)
{
	uint64_t line = p->line[k], page = (line + k / LINES) % CONTROL_PAGES;

	return p->base + (p->page ? p->page[k] : page) * p->stride + line * LINE;
}

/* n - 1 jumps and a return; what is behind each is never executed. */
static void put_path(struct code *c, const struct path *p, uint64_t n)
{
	for (uint64_t k = 0; k < n; k++) {
		c->at = jump_at(p, k);
		if (k + 1 < n) {
			code_put(c, JUMP_NEAR, 1);
			code_put(c, jump_at(p, k + 1) - (c->at + 4), 4);
		} else {
			code_put(c, RETURN, 1);
		}
		code_put(c, INT3, 1);
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

static int sampler(struct bench *b, struct job *job, struct sample *s)
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

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct code_pages *spec = row_spec(row, struct code_pages);
	uint64_t n = spec->pages, taken = spread_bytes(spec);
	struct chain pages = { .nodes = n };
	struct jumps *j = job_alloc(b, job, sizeof *j);
	unsigned char *line = job_alloc(b, job, PAGES_MOST);
	struct code c;

	if (!j || !line)
		return -1;
	pages.order = job_alloc(b, job, chain_index_bytes(n));
	if (!pages.order || code_memory_open(b, job, &c, taken + CONTROL_PAGES * PAGE_4K))
		return -1;
	chain_order_random(&pages, &b->random);
	draw_lines(b, line, n);
	const struct path paths[2] = { { pages.order, line, 0, spec->group * PAGE_4K },
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
	job->sampler = sampler;
	return 0;
}

static void plan_pages(struct bench *b, uint64_t pages)
{
	struct code_pages spec = { pages, room_has_amd_leaves(b->room) ? GROUP_JOINED : 1 };
	struct row row = row_new(variant, &unit_ns_jump, ANSWER_CODE_PAGES, prepare);

	if (spread_bytes(&spec) + CONTROL_PAGES * PAGE_4K > CODE_MOST)
		return;
	*row_spec(&row, struct code_pages) = spec;
	row.needs = NEED_CODE;
	row.cost_ns = (b->room->facts.emulated ? 2 * (double)pages * TRANSLATE_NS : 0) +
		2 * 12 *
			(2 * b->pace.ns_per_call + 2.0 * JUMPS_PER_CALL * b->pace.ns_per_near_load);
	row_param(&row, "pages", (double)pages);
	row_param(&row, "stride_bytes", (double)(spec.group * PAGE_4K));
	plan_add(b, &row);
}

void walks_code_plan(struct bench *b)
{
	/* In each profile: they take no time, and half as many do not show a soft edge. */
	static const double fractions[] = { 1, 1.189207, 1.414214, 1.681793 };

	for (uint64_t octave = PAGES_LEAST; octave < PAGES_MOST; octave *= 2)
		for (unsigned i = 0; i < sizeof fractions / sizeof *fractions; i++)
			plan_pages(b, (uint64_t)((double)octave * fractions[i] + 0.5));
}

/* The curve's steps. NULL, or why there is none. */
static const char *steps(const struct bench *b, struct curve *c, struct staircase *s)
{
	const struct pick pick = { .variant = variant, .x = "pages", .cycles = true };

	if (!take_curve(b, &pick, c))
		return NOT_MEASURED;
	c->offset = entry_rules.offset;
	curve_leave_usable(c, "pages");
	if (!infer_staircase(c->point, c->n, &entry_rules, s))
		return s->reason;
	if (!s->level[0].hidden && s->level[0].y > FIRST_MOST)
		return "it ends before the smallest count";
	return s->count > 1 || s->rising ? NULL : "no step up to the most pages";
}

void walks_code_plan_edges(struct bench *b)
{
	const struct resolution one = { .grain = 1, .ratio = 1 };
	struct curve *c = row_alloc(b, sizeof *c);
	struct staircase s;

	if (!c || steps(b, c, &s))
		return;
	double next = infer_bisect_bracket(&s.level[0].edge, &one);

	if (math_finite(next))
		plan_pages(b, (uint64_t)next);
}

/*
 * Where half of a miss is reached only beyond the bracket of an edge, what misses before may be
 * sets, or another thread's: the level may end up to there. It holds the loop's page, too.
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

void walks_code_find(struct bench *b)
{
	static const char rests_on[] = "walks code-pages over pages";
	struct curve *c = row_alloc(b, sizeof *c);
	struct staircase s;

	if (!c)
		return;
	const char *why = steps(b, c, &s);
	const struct stair *next = &s.level[1];
	struct estimate entries, miss = entries = not_resolved(why);

	if (!why) {
		entries = edge_of(b, c, s.level[0].edge);
		miss = infer_flat_beyond(c->point, c->n, entries.value);
		if (s.count > 1 && !next->hidden)
			miss = time_on_curve(plain_estimate(next->y, MISS_CONFIDENCE), c,
				next->first, next->last);
		correct_entries(&entries, c, miss.value);
	}
	found(b, "itlb_4k_entries", "entries", entries, NOT_A_NUMBER, rests_on);
	found(b, "itlb_miss_cycles", "cycles", miss, NOT_A_NUMBER, rests_on);
}
