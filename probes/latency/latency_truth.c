/* SPDX-License-Identifier: MIT */
/* `latency`: chases through buffers of all sizes, addressed in several ways, and lists. */
#include <math.h>
#include <string.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/chase_cost.h"
#include "tests/kam/judge/truth.h"
#include "tests/kam/judge/walk_cost.h"

TOLERANCE(BROUGHT, 3, "%",
	"of the loads of an outer level: an aggressive prefetcher brings a line by chance")
TOLERANCE(CAPACITY, 3, "%", "what bisection leaves between a size that fits and one that does not")
TOLERANCE(SOFT_CAPACITY, 10, "%",
	"without LRU a tenth of the rise is done 5 % beyond the capacity, or before it by chance")
TOLERANCE(FORMULA_BY_CHANCE, 3, "%",
	"sets are not all equally full when a line comes again; seen: below 2")
TOLERANCE(CURVE_CYCLES, 0.1, "cycles", "a step of the counter in a short sample")
TOLERANCE(HASHED, 2, "%",
	"above a level whose lines a hash spreads: a set may get more than its ways; seen: 1.1")
TOLERANCE(STREAM_SEEN, 20, "%", "below memory: a chase in order that is cheaper has a prefetcher")
TOLERANCE(LIST, 3, "%", "as FORMULA_BY_CHANCE")
TOLERANCE(LIST_CYCLES, 2, "cycles", "the element's own work")
TOLERANCE(LIST_HELD, 20, "%", "of shuffled elements that the last cache still has, at most")

#define BYTES_FROM 1024 /* of the sweep, from the probe */
#define ROUNDED    0.01 /* of a step of it */
#define SOFT_HELD  1.9  /* times its size: without LRU a cache still hits in a part of it */
#define SMALL      4096 /* bytes of a page */
#define LIST_NODE  16   /* bytes */

/* Ways to address a load; SHIFTED: a shift multiplies the index by the size of an element. */
enum { POINTER = 0, INDEX = 1, SHIFTED = 2, PADDED = 4 /* a line for each element */ };

/* An addressing mode costs nothing but its own time on top of the load. */
static double addressing(const struct cpu *c, unsigned mode)
{
	return (mode & INDEX ? (double)c->indexed : 0) + (mode & SHIFTED ? 1 : 0);
}

static struct wanted near(const struct judged *j, json_t *row, unsigned mode)
{
	double cycles = (double)j->cpu->level[0].latency + addressing(j->cpu, mode);

	return j->cpu->unseen_every ? anything() : within(cycles, LATENCY);
}

/*
 * At a canonical level, the latency of that level: LRU holds all of it or nothing. Where something
 * else replaces above, or a hash spreads the lines, a part may hit there.
 */
static struct wanted at_level(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	int level = level_of(c, row), i;
	double cycles, least, bytes = param_of(row, "bytes");

	if (level < 0 || param_of(row, "page_bytes") < 2 << 20 || c->unseen_every)
		return anything();
	if (level == (int)cpu_levels(c) && c->nested.tables)
		return within(memory_cycles(c) + translation_cycles(c, bytes), HOST_WALKS);
	if (level == (int)cpu_levels(c) ? c->row_bytes || !undisturbed(c)
					: c->level[level].victim || is_shared(c, (unsigned)level))
		return anything();
	cycles = least = level_latency(c, (unsigned)level);
	for (i = level - 1; i >= 0; i--)
		if (c->level[i].policy != POLICY_LRU || c->level[i].hash != HASH_NONE)
			least = level_latency(c, (unsigned)i);
	if (least < cycles && level < (int)cpu_levels(c) &&
		(c->level[level].hash != HASH_NONE || c->level[level].policy == POLICY_RANDOM))
		return anything(); /* nor does all of it fit, or stay */
	bool hashed = level < (int)cpu_levels(c) && c->level[level].hash != HASH_NONE;

	return between(less(least, LATENCY),
		more(cycles + translation_cycles(c, bytes), hashed ? HASHED : LATENCY));
}

/* Without prefetchers, and with a line for each node, the order changes nothing. */
static struct wanted in_order(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;

	if (prefetches(c) || c->line > 64)
		return anything();
	return at_level(j, row, of);
}

/*
 * Groot Koerkamp's methods: within L1 the load and its index; where a line holds one element, in
 * memory the same on top of its latency. A cyclic walk through LRU finds nothing of what is larger.
 */
static struct wanted method(const struct judged *j, json_t *row, unsigned mode)
{
	const struct cpu *c = j->cpu;
	unsigned last = cpu_levels(c), i;
	double bytes = param_of(row, "bytes"), cycles = memory_cycles(c) + addressing(c, mode);

	if (c->predictor == PREDICTOR_NEVER || !undisturbed(c))
		return anything();
	if (bytes <= (double)c->level[0].bytes / 2)
		return near(j, row, mode);
	for (i = 0; i < last; i++)
		if (c->level[i].policy != POLICY_LRU || c->level[i].hash != HASH_NONE)
			return anything();
	if (!(mode & PADDED) || param_of(row, "page_bytes") < 2 << 20 || c->line > 64 ||
		c->row_bytes || prefetches(c) || bytes < 4 * (double)c->level[last - 1].bytes)
		return anything();
	return between(less(cycles, LATENCY), more(cycles + translation_cycles(c, bytes), LATENCY));
}

/* Neighbours of a line are elements, too: beyond L2 a prefetcher brings some by chance. */
static struct wanted elements(const struct judged *j, json_t *row, unsigned mode)
{
	const struct cpu *c = j->cpu;
	double bytes = param_of(row, "bytes"), element = mode & PADDED ? 64 : 8, cycles;
	double beside = addressing(c, mode);

	if (!undisturbed(c) || param_of(row, "page_bytes") != 2 << 20 || level_of(c, row) < 1 ||
		!chase_is_clear(c, bytes) || (chase_followed(c) && bytes > level_holds(c, 1)))
		return anything();
	cycles = chase_cycles(c, bytes, element) + beside;
	return between(less(cycles, FORMULA_BY_CHANCE),
		more(cycles + translation_cycles(c, bytes), FORMULA_BY_CHANCE));
}

/* The curve, and all of it in small pages. A line has one node. */
static struct wanted padded(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double bytes = param_of(row, "bytes"), page = param_of(row, "page_bytes");
	double cycles = chase_cycles(c, bytes, number_of(j->run->run, "node_bytes")), walks;

	if (!undisturbed(c) || !chase_is_clear(c, bytes))
		return anything();
	if (c->nested.tables)
		return within(cycles + translated(c, bytes, page).cycles, HOST_WALKS);
	if (page == 2 << 20)
		walks = translation_cycles(c, bytes);
	else if (page == SMALL && !c->walk_loads)
		walks = small_page_cycles(c, bytes);
	else
		return anything();
	return between(less(cycles + (page == SMALL ? walks : 0), LATENCY),
		more(cycles + walks, LATENCY) + CURVE_CYCLES);
}

enum { FEW, MANY }; /* pages */

/*
 * No cache has a flushed line. Its page is translated, at most by a walk each where the TLB does
 * not hold all of them: what flushes them goes through it as well. An open row costs less.
 */
static struct wanted flushed(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double memory = memory_cycles(c), bytes = param_of(row, "bytes");

	if (!undisturbed(c) || param_of(row, "page_bytes") < 2 << 20)
		return anything();
	if (c->nested.tables) /* few pages are held, of many not the same tables as of a chase */
		return of == FEW ? within(memory + (double)c->stlb_latency / 2, HOST_WALKS)
				 : anything();
	double translated = translation_cycles(c, bytes), held = (double)c->stlb_latency;

	if (translated > held)
		translated = fmax(translated, held + (double)c->walk);
	return between(less(c->row_bytes ? fmin(memory, (double)c->row_hit) : memory, LATENCY),
		more(memory + translated, LATENCY) + CURVE_CYCLES);
}

enum { TWO = 1, SHUFFLED = 2 }; /* of lists */

/*
 * In the order of allocation backwards: of the nodes of a line one misses, the others hit in L1.
 * In random order each misses, but for what the caches hold. Two lists share that time.
 */
static struct wanted list(const struct judged *j, json_t *row, unsigned how)
{
	const struct cpu *c = j->cpu;
	double bytes = param_of(row, "bytes"), each = (double)c->line / LIST_NODE;
	double far = memory_cycles(c), near = (double)c->level[0].latency;
	double walk = translation_cycles(c, bytes) + (double)c->walk, lists = how & TWO ? 2 : 1;
	bool shuffled = how & SHUFFLED;
	double low = shuffled ? less(far, LIST_HELD) : (far + (each - 1) * near) / each;

	if (!far_beyond_caches(c, bytes) || c->row_bytes || !undisturbed(c))
		return anything();
	if (prefetches(c) || c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(low / lists, LIST),
		more((shuffled ? far + walk : low + walk / each) / lists, LIST) + LIST_CYCLES);
}

/*
 * A chase from line to line pays memory's latency once for what comes together, a line or a pair;
 * a stream that is prefetched costs a small part of that.
 */
static void prefetcher(const struct judged *j)
{
	double memory = (double)j->cpu->memory_latency, node = number_of(j->run->run, "node_bytes");
	double apart;
	bool stream = j->cpu->stream != STREAM_OFF, seen;
	json_t *row = row_with(j, "latency", "sequential", NULL, 0, "memory");

	if (!row || param_of(row, "page_bytes") < 2 << 20 || j->cpu->line < 64 ||
		j->cpu->next_page || j->cpu->ip_stride)
		return; /* below 64 a chase from node to node leaves out every other line */
	apart = fmin(1, param_of(row, "stride_bytes") / node);
	seen = number_of(row, "cycles") < less(memory, STREAM_SEEN) * apart;
	tally_value(j->tally, "stream_prefetcher", stream, seen, "yes or no",
		seen == stream ? NULL : "a chase in order shows the opposite");
}

static void node_and_prefetcher(const struct judged *j)
{
	double truth = node_bytes(j->cpu);
	double said = number_of(j->run->run, "node_bytes");

	tally_value(j->tally, "node_bytes", truth, said, "exact",
		said == truth ? NULL : "out of tolerance");
	prefetcher(j);
}

/* The largest size of the sweep over bytes that is not above this one. */
static double largest_of_sweep(const struct expected_list *l, double bytes)
{
	double step = log2(l->grid);

	return exp2(floor(log2(bytes / BYTES_FROM) / step + ROUNDED) * step) * BYTES_FROM;
}

static void expect_latencies(struct expected_list *l, const char *const name[2], double cycles,
	double low, double high)
{
	double ns = 1e9 / (double)l->cpu->hz;

	expect(l, name[0], cycles, low, high, LATENCY_TEXT);
	expect(l, name[1], cycles * ns, low * ns, high * ns, LATENCY_TEXT);
}

/* In a guest, so much of a buffer as its TLB reaches: what walks cost is another value. */
static double without_walks(const struct cpu *c, double bytes)
{
	return c->nested.tables ? fmin(bytes, walk_reach(c)) : bytes;
}

/*
 * Accepted is the range from the latency to the mean at the largest size of the sweep that fits the
 * level. The mean is less where a part hits in the level above, and more where pages miss the first
 * TLB. An aggressive prefetcher brings a few lines from behind L2 by chance, when two loads in a
 * row are in one page.
 */
static void expect_level(struct expected_list *l, const struct cpu *c, unsigned i)
{
	static const char *const names[][2] = {
		{ "l1d_latency_cycles", "l1d_latency_ns" },
		{ "l2_latency_cycles", "l2_latency_ns" },
		{ "l3_latency_cycles", "l3_latency_ns" },
		{ "l4_latency_cycles", "l4_latency_ns" },
	};
	double value = (double)c->level[i].latency, bytes = (double)c->level[i].bytes;
	double part = 1, above = value;

	if (i > 0) {
		part = missing_share(c, i - 1, largest_of_sweep(l, bytes));
		above = (double)c->level[i - 1].latency;
	}
	if (c->stream == STREAM_AGGRESSIVE && i > 1)
		part = less(part, BROUGHT);
	expect_latencies(l, names[i], value, less(part * value + (1 - part) * above, LATENCY),
		more(value + translation_cycles(c, without_walks(c, bytes)), LATENCY) *
			(1 + unseen_part(c)));
}

/*
 * Memory twice: by flushed lines, and at the largest size, where replacement that is not LRU leaves
 * a part in the last cache.
 */
static void expect_memory(struct expected_list *l, const struct cpu *c)
{
	static const char *const near[] = { "memory_latency_cycles", "memory_latency_ns" };
	static const char *const walk[] = { "memory_walk_latency_cycles",
		"memory_walk_latency_ns" };
	unsigned last = cpu_levels(c) - 1;
	double value = memory_cycles(c), bytes = memory_row_bytes(c);
	double part = missing_share(c, last, largest_of_sweep(l, bytes));
	double above = part * value + (1 - part) * (double)c->level[last].latency;
	double unseen = 1 + unseen_part(c);
	double high =
		more(value + translation_cycles(c, without_walks(c, bytes)), LATENCY) * unseen;
	double walking = value + translation_cycles(c, l->memory.large);

	if (c->row_bytes) /* an open row costs less */
		above = fmin(above, (double)c->row_hit);
	expect_latencies(l, near, value, less(c->row_bytes ? (double)c->row_hit : value, LATENCY),
		high);
	expect_latencies(l, walk, walking, less(above, LATENCY), more(walking, LATENCY) * unseen);
}

static void size(struct expected_list *l, const struct cpu *c, unsigned i)
{
	static const char *const names[] = { "l1d_bytes", "l2_bytes", "l3_bytes", "l4_bytes" };
	double node = node_bytes(c);
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

static uint64_t left_of(uint64_t entries, uint64_t ways, uint64_t taken)
{
	return entries - entries * taken / (ways ? ways : entries);
}

/* Returns the machine with those TLB entries that a neighbour leaves while it is there. */
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
 * Memory with pages of 4 KiB: a share of the loads still hits where replacement is not LRU. A
 * refresh makes both times of the ratio longer alike.
 */
static void small_pages(struct expected_list *l, const struct cpu *c)
{
	unsigned last = cpu_levels(c) - 1;
	double bytes = memory_row_bytes(c), missed = missing_share(c, last, bytes);
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
}

/* Returns the latency of a level without refreshes. */
static double full_latency(const struct cpu *c, unsigned i)
{
	return (double)(i < cpu_levels(c) ? c->level[i].latency : c->memory_latency);
}

static void unresolvable(struct expected_list *l)
{
	static const char *const names[][3] = {
		{ "l1d_bytes", "l1d_latency_cycles", "l1d_latency_ns" },
		{ "l2_bytes", "l2_latency_cycles", "l2_latency_ns" },
		{ "l3_bytes", "l3_latency_cycles", "l3_latency_ns" },
		{ "l4_bytes", "l4_latency_cycles", "l4_latency_ns" },
	};
	static const char few[] = "too few points of the sweep lie between two levels";
	static const char flat[] = "the next level costs nearly the same";
	const struct cpu *c = l->cpu;
	unsigned i, k, last = cpu_levels(c);

	for (i = 0; i < last; i++) {
		double below = i ? (double)c->level[i - 1].bytes : BYTES_FROM - 1;
		bool soft = i &&
			(c->level[i - 1].policy != POLICY_LRU || c->level[i - 1].hash != HASH_NONE);
		double end = is_shared(c, i) ? level_holds(c, i) / 2 : (double)c->level[i].bytes;
		bool shows = sweep_plateau(l, BYTES_FROM, soft ? SOFT_HELD * below : below, end);
		bool alike = full_latency(c, i + 1) < CACHE_RISE * full_latency(c, i);

		for (k = i ? i - 1 : 0; k <= i; k++)
			may_be_unresolved(l, !shows, names[k][0], few);
		for (k = 0; k < 3; k++) {
			may_be_unresolved(l, !shows && k, names[i][k], few);
			may_be_unresolved(l, alike, names[i][k], flat);
			may_be_unresolved(l, alike && i + 1 < last, names[i + 1][k], flat);
		}
	}
}

static void expect_latency(struct expected_list *l)
{
	static const char *const sizes[] = { "l1d_bytes", "l2_bytes", "l3_bytes" };
	const struct cpu *c = l->cpu;
	const uint64_t taken[] = { c->taken_l1, c->taken_l2, c->taken_l3 };
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		size(l, c, i);
		expect_level(l, c, i);
	}
	expect_memory(l, c);
	small_pages(l, c);
	unresolvable(l);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		expect_shared(l, sizes[i], c->level[i].ways, taken[i]);
}

static const struct row_rule rules[] = {
	ROWS("pointer-padded", CYCLES, at_level),
	ROWS("pointer", CYCLES, near, POINTER, .level = "l1"),
	ROWS("index", CYCLES, near, INDEX, .level = "l1"),
	ROWS("index-checked", CYCLES, near, INDEX, .level = "l1"),
	ROWS("index-padded", CYCLES, near, INDEX | SHIFTED, .level = "l1"),
	ROWS("method-checked", CYCLES, method, INDEX),
	ROWS("method-unchecked", CYCLES, method, INDEX),
	ROWS("method-padded", CYCLES, method, INDEX | SHIFTED | PADDED),
	ROWS("method-raw", CYCLES, method, POINTER),
	ROWS("method-raw-padded", CYCLES, method, PADDED),
	ROWS("sequential", CYCLES, in_order),
	ROWS("stride", CYCLES, in_order),
	ROWS_AS("latency:pointer beyond L1", "pointer", CYCLES, elements, POINTER),
	ROWS_AS("latency:index beyond L1", "index", CYCLES, elements, INDEX),
	ROWS_AS("latency:index-checked beyond L1", "index-checked", CYCLES, elements, INDEX),
	ROWS_AS("latency:index-padded beyond L1", "index-padded", CYCLES, elements,
		INDEX | SHIFTED | PADDED),
	ROWS_AS("latency:pointer-padded curve", "pointer-padded", CYCLES, padded),
	ROWS("flushed", CYCLES, flushed, FEW),
	ROWS("flushed-pages", CYCLES, flushed, MANY),
	ROWS("list-one", CYCLES, list),
	ROWS("list-two", CYCLES, list, TWO),
	ROWS("list-one-4k", CYCLES, list),
	ROWS("list-two-4k", CYCLES, list, TWO),
	ROWS("list-shuffled-one", CYCLES, list, SHUFFLED),
	ROWS("list-shuffled-two", CYCLES, list, SHUFFLED | TWO),
};

static const struct sweep sweeps[] = {
	{ "pointer-padded", "bytes", .first = BYTES_FROM, .step = 512, .ratio = BY_GRID,
		.usual_pages_only = true },
	{ 0 },
};

static const char *const levels[] = { "pointer-padded", "pointer", "index", "index-padded", NULL };

static const struct row_unit units[] = { { "list-", "ns/element" }, { "", "ns/load" }, { 0 } };

const struct truth truth_latency = {
	RULES(rules),
	.rows = node_and_prefetcher,
	.expect = expect_latency,
	.sweeps = sweeps,
	.levels = levels,
	.units = units,
};
