/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/cores_bound.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/predictor_oracle.h"
#include "tests/kam/judge/tolerances.h"
#include "tests/kam/judge/walk_cost.h"

#define PASSES_MOST  20  /* of the learning curve */
#define PERIOD_STEP  1.5 /* from one period to the next */
#define LOOP_TARGETS 4   /* of the loop around the jumps: call, return, loop */

struct expected *expect(struct expected_list *l, const char *name, double value, double low,
	double high, const char *tolerance)
{
	struct expected *d = &l->out[l->n++];

	if (l->n > EXPECTED_MOST)
		fatal("more than %d expected values", EXPECTED_MOST);
	*d = (struct expected){
		.name = name,
		.value = value,
		.low = low,
		.high = high,
		.tolerance = tolerance,
	};
	return d;
}

struct expected *expect_near(struct expected_list *l, const char *name, double value, double room,
	const char *tolerance)
{
	return expect(l, name, value, value - room, value + room, tolerance);
}

struct expected *expect_percent(struct expected_list *l, const char *name, double value, double p,
	const char *tolerance)
{
	return expect(l, name, value, less(value, p), more(value, p), tolerance);
}

struct expected *expect_bisected(struct expected_list *l, const char *name, double value, double p,
	double grain, const char *tolerance)
{
	double room = fmax(value * p / 100, p > 0 ? grain : 0);
	struct expected *d = expect_near(l, name, value, room, tolerance);

	d->bracketed = true;
	d->widest = more(fmax(value * p / 100, grain), ROUNDING);
	return d;
}

struct expected *expected_find(struct expected *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	return NULL;
}

void expect_none(struct expected *d, bool when, const char *why)
{
	if (when)
		d->must_be_unresolved = why;
}

void expect_maybe_none(struct expected *d, bool when, const char *why)
{
	if (when && !d->may_be_unresolved)
		d->may_be_unresolved = why;
}

/* Bytes of a row in level "memory", as engine/levels.c chooses them from whole large pages. */
static double place_bytes(const struct cpu *c)
{
	double last = (double)c->level[cpu_levels(c) - 1].bytes, bytes = fmax(256 << 20, 8 * last);
	double arena = (double)(c->memory_bytes / (2 << 20) * (2 << 20));

	while (bytes > arena / 8 * 7)
		bytes /= 2;
	return bytes;
}

/* The largest size of the sweep over bytes that is not above this one. */
static double largest_of_sweep(const struct expected_list *l, double bytes)
{
	double step = log2(l->grid);

	return exp2(floor(log2(bytes / 1024) / step + 0.01) * step) * 1024;
}

/*
 * Accepted is the range from the latency to the mean at the largest size of the sweep that fits the
 * level. The mean is less where a part hits in the level above, and more where pages miss the first
 * TLB. An aggressive prefetcher brings a few lines from behind L2 by chance, when two loads in a
 * row are in one page.
 */
static void latency(struct expected_list *l, const struct cpu *c, unsigned i)
{
	static const char *const names[][2] = {
		{ "l1d_latency_cycles", "l1d_latency_ns" },
		{ "l2_latency_cycles", "l2_latency_ns" },
		{ "l3_latency_cycles", "l3_latency_ns" },
		{ "l4_latency_cycles", "l4_latency_ns" },
		{ "memory_latency_cycles", "memory_latency_ns" },
	};
	bool memory = i == cpu_levels(c);
	const char *const *name = names[memory ? 4 : i];
	double value = memory ? memory_cycles(c) : (double)c->level[i].latency;
	double bytes = memory ? place_bytes(c) : (double)c->level[i].bytes, part = 1, above = value;
	double ns = 1e9 / (double)c->hz, low, high;

	if (i > 0) {
		part = missing_share(c, i - 1, largest_of_sweep(l, bytes));
		above = (double)c->level[i - 1].latency;
	}
	if (c->stream == STREAM_AGGRESSIVE && i > 1 && !memory)
		part = less(part, BROUGHT);
	if (memory && c->row_bytes) /* an open row costs less */
		part = fmin(part, 1 - (double)c->row_hit / value);
	low = less(part * value + (1 - part) * above, LATENCY);
	high = more(value + translation_cycles(c, bytes), LATENCY);
	expect(l, name[0], value, low, high, LATENCY_TEXT);
	expect(l, name[1], value * ns, low * ns, high * ns, LATENCY_TEXT);
}

static void size(struct expected_list *l, const struct cpu *c, unsigned i)
{
	static const char *const names[] = { "l1d_bytes", "l2_bytes", "l3_bytes", "l4_bytes" };
	double node = fmax(64, (double)c->line * (c->adjacent ? 2 : 1));
	bool soft = soft_edge(c, i);
	struct expected *d = expect_bisected(l, names[i], level_holds(c, i),
		soft ? SOFT_CAPACITY : CAPACITY, node, soft ? SOFT_CAPACITY_TEXT : CAPACITY_TEXT);

	/* which lines the level above holds is chance for these sets: some are full early */
	if (c->level[i].victim) {
		d->low = fmin(d->low, less((double)c->level[i].bytes, CAPACITY));
		d->slack = d->value - d->low;
	}
	d->soft = soft;
	d->widest = more(fmax(level_holds(c, i) * CAPACITY / 100, node), ROUNDING);
	d->exact_where_tried = !soft && !prefetches(c) && undisturbed(c);
}

static void caches(struct expected_list *l, const struct cpu *c)
{
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		size(l, c, i);
		latency(l, c, i);
	}
	latency(l, c, i);
}

/* A history of so many outcomes, or tables that forget them gradually: half way. */
static void predictor(struct expected_list *l, const struct cpu *c)
{
	bool soft = c->predictor == PREDICTOR_TAGGED;
	unsigned to = soft ? longest_period(c) : 0;
	double half = soft ? period_at(c, PERIOD_FROM, to, 0.5) : (double)c->capacity;

	/* To an octave: the state machine's periods are powers of two, and it has no bisection. */
	expect(l, "states_elements", half, half / exp2(STATES), half * 2, STATES_TEXT);
	expect_bisected(l, "predictor_branches", half, soft ? PREDICTOR_SOFT : PREDICTOR, 1,
		soft ? PREDICTOR_SOFT_TEXT : PREDICTOR_TEXT)
		->soft = soft;
	if (soft) { /* nothing is lost up to a place before a tenth is */
		expect(l, "predictor_perfect", PERIOD_FROM, PERIOD_FROM,
			PERIOD_STEP * period_at(c, PERIOD_FROM, to, 0.1),
			"before a tenth is lost, to a step");
		expect(l, "learning_passes", 1, 1, PASSES_MOST, "as many as are tried");
		return;
	}
	expect_bisected(l, "predictor_perfect", (double)c->capacity, PREDICTOR, 1, PREDICTOR_TEXT);
	expect_near(l, "learning_passes", 1, 0,
		"exact"); /* the table learns each outcome at once */
}

double clock_beside_jitter(const struct cpu *c)
{
	double between = (double)c->jitter_every / (double)c->hz * (double)c->tsc_hz;
	double taken = c->jitter_every ? (double)c->jitter_ticks / 2 : 0;

	return (double)c->hz * (taken > 0 ? between / (between + taken) : 1);
}

static void core(struct expected_list *l, const struct cpu *c)
{
	/*
	 * A branch resolves two cycles after the add of its bit entered. The paths for bits 0 and 1
	 * fill groups of four instructions best; a narrower core gains when random bits mix the two
	 * paths. The numbers are computed from the groups of the loop.
	 */
	static const double resolving[] = { 0, 0, 0.9, 0.1, 1.7 };
	double hz = clock_beside_jitter(c);
	double p = (double)c->penalty + resolving[c->width < 4 ? c->width : 4];

	if (c->width > 3 && c->alus < 3) /* three computations a bit: as if groups were narrower */
		p -= 1.1;

	expect_percent(l, "core_clock_hz", hz, CLOCK, CLOCK_TEXT);
	expect_percent(l, "core_tsc_ratio", hz / (double)c->tsc_hz, CLOCK, CLOCK_TEXT);
	expect_near(l, "mispredict_cycles", p, PENALTY, PENALTY_TEXT);
	predictor(l, c);
	expect_bisected(l, "branch_targets", (double)(c->targets + c->targets_2), TARGETS, 1,
		TARGETS_TEXT)
		->slack = LOOP_TARGETS;
	if (c->targets_2)
		expect_bisected(l, "branch_targets_first", (double)c->targets, TARGETS, 1,
			TARGETS_TEXT)
			->slack = LOOP_TARGETS;
	expect_bisected(l, "return_stack", (double)c->returns, 0, 1, "exact");
}

static void lines(struct expected_list *l, const struct cpu *c)
{
	double line = (double)c->line;
	double window = (double)c->window, ways = (double)c->level[0].ways;
	struct translated large = translated(c, place_bytes(c), 2 << 20);
	double misses = parallel_misses_bound(c, &large);
	double fetched = line * (c->adjacent ? 2 : 1);

	expect_near(l, "line_bytes", line, 0, "exact");
	expect_near(l, "fetch_bytes", fetched, 0, "exact");
	expect_bisected(l, "l1d_ways", ways, 0, 1, "exact");
	expect_bisected(l, "window_instructions", window, WINDOW, 1, WINDOW_TEXT);
	expect_near(l, "parallel_misses", misses, MISSES, "exact");
}

static void small_misses(struct expected_list *l, const struct cpu *c, const struct translated *t)
{
	double misses = parallel_misses_bound(c, t);
	double room = c->walk_loads ? SMALL_MISSES : SMALL_PAGES;

	expect(l, "parallel_misses_4k", misses,
		less(misses, room + BANK_MORE * (double)(c->banks - 1)), more(misses, room),
		c->banks > 1            ? "of banks"
			: c->walk_loads ? SMALL_MISSES_TEXT
					: SMALL_PAGES_TEXT);
}

static uint64_t left_of(uint64_t entries, uint64_t ways, uint64_t taken)
{
	return entries - entries * taken / (ways ? ways : entries);
}

/* What a neighbour leaves of the TLBs while it is there. */
static struct cpu beside_neighbour(const struct cpu *c)
{
	struct cpu left = *c;

	left.dtlb_4k = left_of(c->dtlb_4k, c->dtlb_ways, c->taken_dtlb);
	left.dtlb_2m = left_of(c->dtlb_2m, c->dtlb_ways, c->taken_dtlb);
	left.stlb = left_of(c->stlb, c->stlb_ways, c->taken_stlb);
	left.stlb_2m = c->stlb_2m ? left_of(c->stlb_2m, c->stlb_ways, c->taken_stlb) : 0;
	return left;
}

/*
 * Of memory with pages of 4 KiB: a share of the loads still hits where replacement is not LRU. Both
 * are ratios of times that a refresh makes longer alike.
 */
static void small_pages(struct expected_list *l, const struct cpu *c)
{
	unsigned last = cpu_levels(c) - 1;
	double bytes = place_bytes(c), missed = missing_share(c, last, bytes);
	double load =
		missed * (double)c->memory_latency + (1 - missed) * (double)c->level[last].latency;
	struct translated small = translated(c, bytes, 4 << 10);
	double large = load + translation_cycles(c, bytes);

	struct cpu left = beside_neighbour(c);
	double alone = (load + small.cycles) / large;
	double beside = (load + small_page_cycles(&left, bytes)) /
		(load + translation_cycles(&left, bytes));

	expect(l, "page_size_effect", alone, less(fmin(alone, beside), SMALL_PAGES),
		more(fmax(alone, beside), SMALL_PAGES), SMALL_PAGES_TEXT);
	small_misses(l, c, &small);
}

/* Of one level of caches or of another, and hardly anything between. */
static void walk(struct expected_list *l, const char *name, const struct walk_cost *w)
{
	bool levels = w->high > w->low;
	struct expected *d = expect(l, name, w->low, less(w->low, WALK), more(w->high, WALK),
		!levels                       ? WALK_TEXT
			: w->above > w->below ? "either of two levels"
					      : "by chance, to another");

	d->below = more(w->below, WALK);
	d->above = less(w->above, WALK);
}

static void one_translation(struct expected_list *l, const struct cpu *c, double arena, double page,
	double first, double second, const char *const name[5])
{
	double hit = (double)c->stlb_latency;
	struct walk_cost near = walk_cost(c, arena, page, second, 2 * second);
	struct walk_cost far = upper_cost(c);

	far.low += near.low;
	far.high += near.high;
	far.below = near.below + far.high - near.high;
	far.above = near.above + far.low - near.low;

	/* where samples are not alike, their quartiles may make the bracket wider by one */
	expect_bisected(l, name[0], first, 0, undisturbed(c) ? 1 : 2, "exact");
	expect_bisected(l, name[1], second, 0, undisturbed(c) ? 1 : 2, "exact");
	expect_near(l, name[2], hit, SECOND_HIT, SECOND_HIT_TEXT);
	walk(l, name[3], &near);
	walk(l, name[4], &far);
}

double measurable_bytes(const struct measurable *m, double page)
{
	return page < (2 << 20) ? m->small : m->large;
}

static void translation(struct expected_list *l, const struct cpu *c, const struct measurable *m)
{
	static const char *const small[] = { "dtlb_4k_entries", "stlb_entries", "stlb_hit_cycles",
		"walk_cycles", "walk_cold_cycles" };
	static const char *const large[] = { "dtlb_2m_entries", "stlb_2m_entries",
		"stlb_2m_hit_cycles", "walk_2m_cycles", "walk_2m_cold_cycles" };

	one_translation(l, c, m->small, 4 << 10, (double)c->dtlb_4k, (double)c->stlb, small);
	one_translation(l, c, m->large, 2 << 20, (double)dtlb_2m_entries(c),
		(double)stlb_2m_entries(c), large);
}

/*
 * What a neighbour has a part of: the value is what there is, or what the neighbour leaves, or
 * between both. The bracket holds what there is; how wide it is follows from what was seen.
 */
static struct expected *shared(struct expected_list *l, const char *name, uint64_t ways,
	uint64_t taken)
{
	struct expected *d = expected_find(l->out, l->n, name);

	if (!d || !taken)
		return NULL;
	d->low -= d->value * (double)taken / (double)ways;
	d->widest = d->value;
	d->exact_where_tried = false;
	d->may_be_unresolved = "a neighbour has a part of it at times";
	return d;
}

/* Of the second level of a TLB each count is measured at more moments: it is seen whole at some. */
static void by_turns(struct expected_list *l, const char *name, const struct cpu *c)
{
	struct expected *d = shared(l, name, 1, c->taken_stlb);

	if (!d)
		return;
	d->low = less(d->value, TURNS);
	d->by_turns = true;
	d->tolerance = TURNS_TEXT;
}

static void neighbour(struct expected_list *l, const struct cpu *c)
{
	uint64_t first = c->dtlb_ways ? c->dtlb_ways : c->dtlb_4k;
	uint64_t first_2m = c->dtlb_ways ? c->dtlb_ways : dtlb_2m_entries(c);

	if (!c->period_us)
		return;
	shared(l, "l1d_ways", c->level[0].ways, c->taken_l1);
	shared(l, "l1d_bytes", c->level[0].ways, c->taken_l1);
	shared(l, "l2_bytes", c->level[1].ways, c->taken_l2);
	shared(l, "l3_bytes", c->level[2].ways, c->taken_l3);
	shared(l, "dtlb_4k_entries", first, c->taken_dtlb);
	shared(l, "dtlb_2m_entries", first_2m, c->taken_dtlb);
	by_turns(l, "stlb_entries", c);
	by_turns(l, "stlb_2m_entries", c);
}

/* What the rows of `cores` with all CPUs read, as rows_cores.c judges them. */
static void all_cpus(struct expected_list *l, const struct cpu *c)
{
	if (c->cpus > 1)
		expect_percent(l, "memory_read_gbs",
			cores_bound(c, (unsigned)c->cpus, 1, 0) * (double)c->hz / 1e9, ALL_READ,
			ALL_READ_TEXT);
}

size_t expected_values(const struct cpu *c, const struct cpu *chip, double grid,
	const struct measurable *m, struct expected out[EXPECTED_MOST])
{
	struct expected_list l = { out, 0, grid };

	caches(&l, c);
	lines(&l, c);
	small_pages(&l, c);
	translation(&l, c, m);
	core(&l, c);
	all_cpus(&l, chip);
	expect_limits(&l, c);
	expect_backend(&l, c);
	expect_frontend(&l, c);
	expect_privileged(&l, c);
	expect_walks(&l, c);
	expect_storeload(&l, c);
	expect_indirect(&l, c);
	expect_atomics(&l, c, chip);
	mark_unresolvable(c, grid, m, out, l.n);
	neighbour(&l, c);
	return l.n;
}
