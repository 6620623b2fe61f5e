/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/cores_bound.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/unresolvable.h"
#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/predictor_oracle.h"
#include "tests/kam/judge/walk_cost.h"

#define CAPACITY       3   /* per cent */
#define SOFT_CAPACITY  10  /* per cent */
#define PASSES_MOST    20  /* of the learning curve */
#define PERIOD_STEP    1.5 /* from one period to the next */
#define SOFT_PREDICTOR 20  /* per cent: what a period costs depends on its coins */
#define ALL_READ       2   /* per cent */
#define ALONE          2   /* per cent */
#define TURNS          7   /* per cent, of what a neighbour has a part of at times */
#define ROUNDING       1.001
#define LOOP_TARGETS   4 /* of the loop around the jumps: call, return, loop */

struct list {
	struct expected *out;
	size_t n;
	double grid;
};

static struct expected *add(struct list *l, const char *name, double value, double low, double high,
	const char *tolerance)
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

/*
 * A number that bisection finds: value and truth differ by `p` per cent at most, and the bracket is
 * as wide at most, but may always be `grain` wide.
 */
static struct expected *bisected(struct list *l, const char *name, double value, double p,
	double grain, const char *tolerance)
{
	double room = fmax(value * p / 100, p > 0 ? grain : 0);
	struct expected *d = add(l, name, value, value - room, value + room, tolerance);

	d->bracketed = true;
	d->widest = fmax(value * p / 100, grain) * ROUNDING;
	return d;
}

static void percent(struct list *l, const char *name, double value, double p, const char *text)
{
	add(l, name, value, value * (1 - p / 100), value * (1 + p / 100), text);
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
static double largest_of_sweep(const struct list *l, double bytes)
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
static void latency(struct list *l, const struct cpu *c, unsigned i)
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
		part *= 0.97;
	if (memory && c->row_bytes) /* an open row costs less */
		part = fmin(part, 1 - (double)c->row_hit / value);
	low = 0.99 * (part * value + (1 - part) * above);
	high = 1.01 * (value + translation_cycles(c, bytes));
	add(l, name[0], value, low, high, "1 %");
	add(l, name[1], value * ns, low * ns, high * ns, "1 %");
}

static void size(struct list *l, const struct cpu *c, unsigned i)
{
	static const char *const names[] = { "l1d_bytes", "l2_bytes", "l3_bytes", "l4_bytes" };
	double node = fmax(64, (double)c->line * (c->adjacent ? 2 : 1));
	bool soft = soft_edge(c, i);
	struct expected *d = bisected(l, names[i], level_holds(c, i),
		soft ? SOFT_CAPACITY : CAPACITY, node, soft ? "10 %, soft" : "3 %");

	/* which lines the level above holds is chance for these sets: some are full early */
	if (c->level[i].victim) {
		d->low = fmin(d->low, (1 - CAPACITY / 100.0) * (double)c->level[i].bytes);
		d->slack = d->value - d->low;
	}
	d->soft = soft;
	d->widest = fmax(level_holds(c, i) * CAPACITY / 100, node) * ROUNDING;
	d->exact_where_tried = !soft && !prefetches(c) && undisturbed(c);
}

static void caches(struct list *l, const struct cpu *c)
{
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		size(l, c, i);
		latency(l, c, i);
	}
	latency(l, c, i);
}

/* A history of so many outcomes, or tables that forget them gradually: half way. */
static void predictor(struct list *l, const struct cpu *c)
{
	bool soft = c->predictor == PREDICTOR_TAGGED;
	unsigned to = soft ? longest_period(c) : 0;
	double half = soft ? period_at(c, PERIOD_FROM, to, 0.5) : (double)c->capacity;

	/* To an octave: the state machine's periods are powers of two, and it has no bisection. */
	add(l, "states_elements", half, half / 4, half * 2, "two octaves");
	bisected(l, "predictor_branches", half, soft ? SOFT_PREDICTOR : 5, 1,
		soft ? "20 %, soft" : "5 %")
		->soft = soft;
	if (soft) { /* nothing is lost up to a place before a tenth is */
		add(l, "predictor_perfect", PERIOD_FROM, PERIOD_FROM,
			PERIOD_STEP * period_at(c, PERIOD_FROM, to, 0.1),
			"before a tenth is lost, to a step");
		add(l, "learning_passes", 1, 1, PASSES_MOST, "as many as are tried");
		return;
	}
	bisected(l, "predictor_perfect", (double)c->capacity, 5, 1, "5 %");
	add(l, "learning_passes", 1, 1, 1, "exact"); /* the table learns each outcome at once */
}

double clock_beside_jitter(const struct cpu *c)
{
	double between = (double)c->jitter_every / (double)c->hz * (double)c->tsc_hz;
	double taken = c->jitter_every ? (double)c->jitter_ticks / 2 : 0;

	return (double)c->hz * (taken > 0 ? between / (between + taken) : 1);
}

static void core(struct list *l, const struct cpu *c)
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

	percent(l, "core_clock_hz", hz, 0.2, "0.2 %");
	percent(l, "core_tsc_ratio", hz / (double)c->tsc_hz, 0.2, "0.2 %");
	add(l, "mispredict_cycles", p, p - 1, p + 1, "1 cycle");
	predictor(l, c);
	bisected(l, "branch_targets", (double)(c->targets + c->targets_2), 5, 1, "5 %")->slack =
		LOOP_TARGETS;
	if (c->targets_2)
		bisected(l, "branch_targets_first", (double)c->targets, 5, 1, "5 %")->slack =
			LOOP_TARGETS;
	bisected(l, "return_stack", (double)c->returns, 0, 1, "exact");
}

static void lines(struct list *l, const struct cpu *c)
{
	double line = (double)c->line;
	double window = (double)c->window, ways = (double)c->level[0].ways;
	double misses = parallel_misses_bound(c, translation_cycles(c, place_bytes(c)));

	double fetched = line * (c->adjacent ? 2 : 1);

	add(l, "line_bytes", line, line, line, "exact");
	add(l, "fetch_bytes", fetched, fetched, fetched, "exact");
	bisected(l, "l1d_ways", ways, 0, 1, "exact");
	bisected(l, "window_instructions", window, 1, 1, "1 %");
	add(l, "parallel_misses", misses, misses - 0.49, misses + 0.49, "exact");
}

/* Misses in parallel where each also waits for a translation: walks are limited, too. */
static double small_page_misses(const struct cpu *c, double bytes)
{
	double translated = small_page_cycles(c, bytes), pages = bytes / 4096;
	double walked = fmax(0, 1 - (double)(c->stlb * c->coalesce) / pages);
	double alone = (double)c->memory_latency + translated;
	double walks = alone * (double)c->walkers / (walked * (double)c->walk);

	return fmin(parallel_misses_bound(c, translated), walks);
}

/*
 * Of memory with pages of 4 KiB: a share of the loads still hits where replacement is not LRU. Both
 * are ratios of times that a refresh makes longer alike.
 */
static void small_pages(struct list *l, const struct cpu *c)
{
	unsigned last = cpu_levels(c) - 1;
	double bytes = place_bytes(c), missed = missing_share(c, last, bytes);
	double load =
		missed * (double)c->memory_latency + (1 - missed) * (double)c->level[last].latency;
	double small = load + small_page_cycles(c, bytes);
	double misses = small_page_misses(c, bytes);

	percent(l, "page_size_effect", small / (load + translation_cycles(c, bytes)), 1, "1 %");
	percent(l, "parallel_misses_4k", misses, 1, "1 %");
}

static void one_translation(struct list *l, const struct cpu *c, double arena, double page,
	double first, double second, const char *const name[5])
{
	double hit = (double)c->stlb_latency;
	struct walk_cost near = walk_cost(c, arena, page, second, 2 * second);
	struct walk_cost far = upper_cost(c);

	far.low += near.low;
	far.high += near.high;

	/* where samples are not alike, their quartiles may make the bracket wider by one */
	bisected(l, name[0], first, 0, undisturbed(c) ? 1 : 2, "exact");
	bisected(l, name[1], second, 0, undisturbed(c) ? 1 : 2, "exact");
	add(l, name[2], hit, hit - 0.5, hit + 0.5, "0.5 cycles");
	add(l, name[3], near.low, 0.98 * near.low, 1.02 * near.high,
		near.high > near.low ? "2 %, of two levels" : "2 %");
	add(l, name[4], far.low, 0.98 * far.low, 1.02 * far.high,
		far.high > far.low ? "2 %, of two levels" : "2 %");
}

double measurable_bytes(const struct measurable *m, double page)
{
	return page < (2 << 20) ? m->small : m->large;
}

static void translation(struct list *l, const struct cpu *c, const struct measurable *m)
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
static void shared(struct list *l, const char *name, uint64_t ways, uint64_t taken)
{
	size_t i;

	for (i = 0; i < l->n && taken; i++) {
		struct expected *d = &l->out[i];

		if (strcmp(d->name, name))
			continue;
		d->low -= d->value * (double)taken / (double)ways;
		d->widest = d->value;
		d->exact_where_tried = false;
		d->may_be_unresolved = "a neighbour has a part of it at times";
	}
}

/* Of the second level of a TLB each count is measured at more moments: it is seen whole at some. */
static void by_turns(struct list *l, const char *name, const struct cpu *c)
{
	for (size_t i = 0; i < l->n && c->taken_stlb; i++) {
		struct expected *d = &l->out[i];

		if (strcmp(d->name, name))
			continue;
		d->low = d->value * (1 - TURNS / 100.0);
		d->widest = d->value;
		d->exact_where_tried = false;
		d->by_turns = true;
		d->may_be_unresolved = "a neighbour has a part of it at times";
		d->tolerance = "7 %, by turns";
	}
}

static void neighbour(struct list *l, const struct cpu *c)
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
static void all_cpus(struct list *l, const struct cpu *c)
{
	if (c->cpus > 1)
		percent(l, "memory_read_gbs",
			cores_bound(c, (unsigned)c->cpus, 1, 0) * (double)c->hz / 1e9, ALL_READ,
			"2 %");
}

/* Instructions that nothing overlaps; a turn of eight has a count and a jump beside them. */
static void privileged(struct list *l, const struct cpu *c)
{
	percent(l, "cr3_cycles", (double)c->privileged.cr3, ALONE, "2 %");
	percent(l, "invlpg_cycles", (double)c->privileged.invlpg, ALONE, "2 %");
	percent(l, "cpuid_cycles", (double)c->cpuid_cycles, ALONE, "2 %");
}

size_t expected_values(const struct cpu *c, double grid, const struct measurable *m,
	struct expected out[EXPECTED_MOST])
{
	struct list l = { out, 0, grid };

	caches(&l, c);
	lines(&l, c);
	small_pages(&l, c);
	translation(&l, c, m);
	core(&l, c);
	all_cpus(&l, c);
	privileged(&l, c);
	mark_unresolvable(c, grid, m, out, l.n);
	neighbour(&l, c);
	return l.n;
}
