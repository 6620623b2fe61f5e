/* SPDX-License-Identifier: MIT */
/*
 * What the machine does not have must be reported as not resolved. What lies at the end of a sweep,
 * or so near to another edge that there is no plateau between them, may be: a value that is
 * reported must still be within the tolerance, and whatever is not listed here counts against the
 * limit. What is listed must also be stated in the machine's file: stated.h.
 */
#include <math.h>
#include <string.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/predictor_oracle.h"
#include "tests/kam/judge/walk_cost.h"

/* The ends of the sweeps, from the probes. */
#define BYTES_FROM    1024
#define PAGES_FROM    1
#define PAGES_MOST    16384
#define LEARNED       2000
#define TARGETS_MOST  131072
#define TARGETS_SMOKE 32768
#define DEPTH_MOST    64
#define WAYS_MOST     32
#define APART_MOST    256
#define GAP_MOST      1027
#define LANES_HELD    12 /* in registers: beyond, a chain takes three instructions */
#define LANES_MOST    40
#define POINTS_FEWEST 5 /* of a staircase */

#define PLATEAU_FEWEST 3   /* points: with two, one may belong to an edge */
#define PAGES_GROUP    16  /* of which one is used, where the arena holds so many groups */
#define CACHE_RISE     1.5 /* docs/method.md: factor between levels, below it a curve is flat */

struct sweeps {
	const struct cpu *cpu;
	double grid;
	const struct measurable *memory;
	struct expected *list;
	size_t n;
};

static void must_be_unresolved(const struct sweeps *h, bool when, const char *name, const char *why)
{
	struct expected *d = expected_find(h->list, h->n, name);

	if (d)
		expect_none(d, when, why);
}

static void may_be_unresolved(const struct sweeps *h, bool when, const char *name, const char *why)
{
	struct expected *d = expected_find(h->list, h->n, name);

	if (d)
		expect_maybe_none(d, when, why);
}

/* Points of a sweep that begins at `start`, above `from` and up to `to`. */
static double points(const struct sweeps *h, double start, double from, double to)
{
	double step = log2(h->grid), below = floor(log2(from / start) / step + 0.01);
	double most = floor(log2(to / start) / step + 0.01);

	return most - (below < -1 ? -1 : below);
}

/* A plateau is 0.7 octaves long. */
static bool plateau(const struct sweeps *h, double start, double from, double to)
{
	return points(h, start, from, to) >=
		fmax(PLATEAU_FEWEST, ceil(0.7 / log2(h->grid) - 0.01) + 1);
}

static double latency(const struct cpu *c, unsigned i)
{
	return (double)(i < cpu_levels(c) ? c->level[i].latency : c->memory_latency);
}

static void caches(const struct sweeps *h)
{
	static const char *const names[][3] = {
		{ "l1d_bytes", "l1d_latency_cycles", "l1d_latency_ns" },
		{ "l2_bytes", "l2_latency_cycles", "l2_latency_ns" },
		{ "l3_bytes", "l3_latency_cycles", "l3_latency_ns" },
		{ "l4_bytes", "l4_latency_cycles", "l4_latency_ns" },
	};
	static const char few[] = "too few points of the sweep lie between two levels";
	static const char flat[] = "the next level costs nearly the same";
	const struct cpu *c = h->cpu;
	unsigned i, k, last = cpu_levels(c);

	for (i = 0; i < last; i++) {
		double below = i ? (double)c->level[i - 1].bytes : BYTES_FROM - 1;
		/* Without LRU a cache still hits in a part of twice its size. */
		bool soft = i &&
			(c->level[i - 1].policy != POLICY_LRU || c->level[i - 1].hash != HASH_NONE);
		bool shows = plateau(h, BYTES_FROM, soft ? 1.9 * below : below,
			(double)c->level[i].bytes);
		bool alike = latency(c, i + 1) < CACHE_RISE * latency(c, i);

		for (k = i ? i - 1 : 0; k <= i; k++)
			may_be_unresolved(h, !shows, names[k][0], few);
		for (k = 0; k < 3; k++) {
			may_be_unresolved(h, !shows && k, names[i][k], few);
			may_be_unresolved(h, alike, names[i][k], flat);
			may_be_unresolved(h, alike && i + 1 < last, names[i + 1][k], flat);
		}
	}
}

static double node_bytes(const struct cpu *c)
{
	return fmax(64, (double)c->line * (c->adjacent ? 2 : 1));
}

/* How many pages of this size the measured memory holds, as far apart as none shares an entry. */
static double most_pages(const struct sweeps *h, double page)
{
	double beside = node_bytes(h->cpu) + 8, group = PAGES_GROUP * page + beside;
	double bytes = measurable_bytes(h->memory, page), room = bytes - 3 * 4096;

	return fmin(PAGES_MOST,
		floor(room / (pages_apart(h->cpu, bytes, page) ? group : page + beside)));
}

struct tlb_names {
	const char *first, *second, *hit, *walk, *cold;
};

/* A walk with cold upper tables, by pages of many regions, each of an entry of the upper table. */
static void cold_walk(const struct sweeps *h, const char *name, double page)
{
	double region = page < (2 << 20) ? 2 << 20 : 1 << 30;

	must_be_unresolved(h, UPPER_REGIONS * region > measurable_bytes(h->memory, page), name,
		"the memory measured holds too few regions");
	must_be_unresolved(h, 2 * (double)h->cpu->stlb > UPPER_PAGES, name,
		"too few pages are tried for so large a second level");
}

static void translation(const struct sweeps *h, const struct tlb_names *n, double first,
	double page)
{
	static const char few[] = "too few points of the sweep lie between two edges";
	static const char small[] = "the memory measured holds too few pages";
	static const char beside[] = "pages lie side by side, which such processors join";
	const struct cpu *c = h->cpu;
	double second = (double)(page > 4096 ? stlb_2m_entries(c) : c->stlb);
	double most = most_pages(h, page);
	bool none = points(h, PAGES_FROM, PAGES_FROM - 1, most) < POINTS_FEWEST;
	bool start = plateau(h, PAGES_FROM, PAGES_FROM - 1, first);
	bool middle = plateau(h, PAGES_FROM, first, fmin(second, most));
	bool end = plateau(h, PAGES_FROM, second, most);
	double hit = (double)c->stlb_latency + ENTRY_OFFSET;
	bool near = (double)c->walk + ENTRY_OFFSET < ENTRY_RISE * hit;
	bool flat = hit < ENTRY_RISE * ENTRY_OFFSET;
	struct walk_cost walks =
		walk_cost(c, measurable_bytes(h->memory, page), page, second, 2 * second);

	bool joined = cpu_is_amd(c) && page < (2 << 20) &&
		!pages_apart(c, measurable_bytes(h->memory, page), page);

	must_be_unresolved(h, joined, n->first, beside);
	must_be_unresolved(h, joined, n->second, beside);
	must_be_unresolved(h, joined, n->cold, beside);
	may_be_unresolved(h, none || points(h, PAGES_FROM, first, most) < 1, n->first, small);
	may_be_unresolved(h, !start || !middle || flat, n->first, few);
	may_be_unresolved(h, none || points(h, PAGES_FROM, second, most) < 1, n->second, small);
	may_be_unresolved(h, none || points(h, PAGES_FROM, second, most) < 1, n->hit, small);
	may_be_unresolved(h, none || points(h, PAGES_FROM, second, most) < 1, n->walk, small);
	may_be_unresolved(h, !start || !middle || !end || near || flat, n->second, few);
	may_be_unresolved(h, !start || !middle || !end || near || flat, n->hit, few);
	may_be_unresolved(h, !start || !middle || !end || near || flat, n->walk, few);
	may_be_unresolved(h, !start || !middle || !end || near || flat, n->cold,
		"the second level is not resolved");
	may_be_unresolved(h, walks.high + ENTRY_OFFSET > ENTRY_RISE * (walks.low + ENTRY_OFFSET),
		n->walk, "lines of the chase and of tables leave a cache just beyond the edge");
	cold_walk(h, n->cold, page);
}

/* A fifth of the rise, or nearly, lies in the last octave of periods. */
static bool forgets_late(const struct cpu *c)
{
	unsigned to = longest_period(c);
	double last = mispredicted(c, to);

	return last - mispredicted(c, to / 2) > 0.15 * (last - mispredicted(c, PERIOD_FROM));
}

static void remembered(const struct sweeps *h, const char *name)
{
	const struct cpu *c = h->cpu;

	must_be_unresolved(h, c->predictor != PREDICTOR_HISTORY && c->predictor != PREDICTOR_TAGGED,
		name, "the predictor has no history table");
	may_be_unresolved(h, c->predictor == PREDICTOR_TAGGED && forgets_late(c), name,
		"it still forgets at the longest periods that are tried");
	must_be_unresolved(h, c->predictor == PREDICTOR_PERFECT, name,
		"the predictor knows every pattern");
	may_be_unresolved(h, c->capacity < PERIOD_FROM || c->capacity > PERIOD_MOST / 2, name,
		"beyond the periods that are tried");
	may_be_unresolved(h,
		c->capacity > PERIOD_MOST / 2 * 0.95 || c->capacity < PERIOD_FROM * 1.2 ||
			c->penalty < 6,
		name, "at the end of the periods that are tried");
}

static void targets(const struct sweeps *h)
{
	const struct cpu *c = h->cpu;
	uint64_t all = c->targets + c->targets_2;
	uint64_t most = h->grid > 1.9 ? TARGETS_SMOKE : TARGETS_MOST;
	double hit = 1 + (double)(c->targets_2 ? c->target_2 : 0);

	must_be_unresolved(h, c->target_miss == 0, "branch_targets",
		"no jump costs more than another: there is no miss penalty");
	may_be_unresolved(h, all > most - 8 || all < 64, "branch_targets",
		"at the end of the numbers that are tried");
	may_be_unresolved(h, 1 + (double)c->target_miss < CACHE_RISE * hit, "branch_targets",
		"a target that no level knows costs hardly more than one of the second");
}

static void branches(const struct sweeps *h)
{
	const struct cpu *c = h->cpu;
	bool coins = c->predictor != PREDICTOR_NEVER && c->predictor != PREDICTOR_PERFECT;

	must_be_unresolved(h, !coins, "mispredict_cycles",
		"random branches cost as much as others");
	may_be_unresolved(h, c->penalty < 2, "mispredict_cycles", "the penalty is under 2 cycles");
	remembered(h, "predictor_branches");
	remembered(h, "predictor_perfect");
	must_be_unresolved(h, c->predictor == PREDICTOR_PERFECT, "states_elements",
		"the predictor knows every pattern");
	may_be_unresolved(h, c->predictor != PREDICTOR_HISTORY || c->penalty < 6, "states_elements",
		"the predictor has no memory that ends, or a miss costs little");
	may_be_unresolved(h, c->predictor == PREDICTOR_TAGGED, "predictor_perfect",
		"the predictor forgets gradually");
	may_be_unresolved(h, c->predictor == PREDICTOR_TAGGED, "learning_passes",
		"the predictor goes on learning");
	must_be_unresolved(h,
		(c->predictor != PREDICTOR_HISTORY && c->predictor != PREDICTOR_TAGGED) ||
			c->capacity < LEARNED,
		"learning_passes", "no pass is ever predicted, or each is");
	may_be_unresolved(h, c->capacity < 1.5 * LEARNED || c->penalty < 6, "learning_passes",
		"hardly more is remembered, or a miss costs little");
	targets(h);
	may_be_unresolved(h, c->returns >= DEPTH_MOST, "return_stack",
		"beyond the depths that are tried");
	may_be_unresolved(h, c->returns > 3 * DEPTH_MOST / 4 || c->returns < 3, "return_stack",
		"at the end of the depths that are tried");
}

/*
 * The second of two misses is late by the time of the instructions between them. Once these take as
 * long as a miss, it makes no difference whether it also waits for the first.
 */
static void window(const struct sweeps *h)
{
	const struct cpu *c = h->cpu;
	double pace = fmin((double)c->width, (double)c->alus), group = 8 / pace;
	double latency = (double)c->memory_latency, between;

	if (c->predictor == PREDICTOR_NEVER) /* a group of 8 has a branch */
		group += 1 + (double)c->penalty;
	between = (double)c->window / 8 * group;
	may_be_unresolved(h,
		between > 0.35 * latency || c->window > 0.8 * GAP_MOST || c->window < 20,
		"window_instructions",
		"near it, the instructions between two misses take as long as a miss");
}

static void lines(const struct sweeps *h)
{
	const struct cpu *c = h->cpu;
	double misses = parallel_misses_bound(c, NULL),
	       most = h->grid > 1.9 ? 24 : 0.8 * LANES_MOST;

	may_be_unresolved(h, c->stream != STREAM_OFF || c->next_page || c->ip_stride, "fetch_bytes",
		"a stream brings lines that are not touched");
	may_be_unresolved(h, c->line > APART_MOST, "line_bytes",
		"beyond the distances that are tried");
	may_be_unresolved(h, c->level[0].ways < 2 || c->level[0].ways >= WAYS_MOST, "l1d_ways",
		"beyond the numbers of lines that are tried");
	may_be_unresolved(h, misses > most, "parallel_misses", "too few chains are tried above it");
	may_be_unresolved(h, misses > LANES_HELD && 3 * misses + 66 > (double)c->window,
		"parallel_misses", "the window may be full first");
}

void mark_unresolvable(const struct cpu *c, double grid, const struct measurable *m,
	struct expected *list, size_t n)
{
	static const struct tlb_names small = { "dtlb_4k_entries", "stlb_entries",
		"stlb_hit_cycles", "walk_cycles", "walk_cold_cycles" };
	static const struct tlb_names large = { "dtlb_2m_entries", "stlb_2m_entries",
		"stlb_2m_hit_cycles", "walk_2m_cycles", "walk_2m_cold_cycles" };
	const struct sweeps h = { c, grid, m, list, n };

	caches(&h);
	translation(&h, &small, (double)c->dtlb_4k, 4096);
	translation(&h, &large, (double)dtlb_2m_entries(c), 2 << 20);
	branches(&h);
	window(&h);
	lines(&h);
}
