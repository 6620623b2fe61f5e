/* SPDX-License-Identifier: MIT */
/* `ways`: chases through one set. */
#include <math.h>

#include "tests/kam/judge/truth.h"

#define WAYS_MOST     32 /* that are tried */
#define POLICY_LEAST  4  /* ways of a set whose replacement is looked for */
#define POLICY_MOST   16
#define POLICY_BEYOND 2    /* lines more than ways */
#define APART         4096 /* bytes from one of them to the next */
#define OTHERS        32   /* lines of the set before these */
#define LAPS          200
TOLERANCE(SHARE, 3, "%", "of the loads: chance, and the laps that are cut")

/*
 * Returns the share of lines, `apart` from one to the next, that a level does not hold. Some of its
 * sets get one line more than others; a set with more lines than ways never has the line that is
 * asked for.
 */
static double outside(const struct cpu *c, unsigned level, double lines, double apart)
{
	double ways = (double)c->level[level].ways;
	double sets = fmax(1, (double)c->level[level].bytes / ways / apart);
	double each = floor(lines / sets), fuller = lines - each * sets;
	double out = (each + 1 > ways ? fuller * (each + 1) : 0) +
		(each > ways ? (sets - fuller) * each : 0);

	return out / lines;
}

/* Returns true if lines that are a power of two apart lie in predictable sets of the level. */
static bool plain_sets(const struct cpu *c, unsigned level)
{
	double way = (double)c->level[level].bytes / (double)c->level[level].ways;

	return !soft_edge(c, level) && exp2(round(log2(way))) == way;
}

/*
 * Up to the ways of L1 all are there, however it replaces. Loads of one instruction may by chance
 * be equal steps apart: a full set then loses a line to the one that is fetched ahead.
 */
static struct wanted one_set(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double lines = param_of(row, "ways"), apart = param_of(row, "stride_bytes");
	double left = 1, sum = 0;
	unsigned i;

	if (!undisturbed(c))
		return anything();
	if (lines + (c->ip_stride > 0) <= (double)c->level[0].ways)
		return within(level_latency(c, 0), LATENCY);
	if (prefetches(c) || c->row_bytes)
		return anything();
	for (i = 0; i < cpu_levels(c); i++) {
		double goes_on = plain_sets(c, i) ? outside(c, i, lines, apart) : NAN;

		sum += (left - goes_on) * level_latency(c, i);
		left = goes_on;
		if (left == 0)
			break;
	}
	sum += left * level_latency(c, i);
	return isnan(sum) ? anything() : within(sum, LATENCY);
}

/* Returns true if L2 holds so many lines beside each other, and L1 has all in one set. */
static bool one_set_below(const struct cpu *c, double lines)
{
	double way = (double)c->level[0].bytes / (double)c->level[0].ways;
	double below = (double)c->level[1].bytes / (double)c->level[1].ways;

	return c->level[0].hash == HASH_NONE && c->level[1].hash == HASH_NONE &&
		fmod(APART, way) == 0 && exp2(round(log2(below))) == below &&
		ceil(lines / fmax(1, below / APART)) <= (double)c->level[1].ways;
}

enum { TWICE, BACK };

/*
 * Returns the share of loads that miss in a set of L1, by the model of it alone: each line again
 * when a quarter of the lines came after it, or the lines forth and back.
 */
static double missing(const struct cpu *c, unsigned order, unsigned lines)
{
	unsigned misses = 0, loads = 0, lap, i;
	struct cache set;

	cache_init(&set, c->level[0].ways, 0, (enum policy)c->level[0].policy, 1);
	for (i = 0; i < OTHERS; i++)
		cache_use(&set, lines + i);
	for (lap = 0; lap < LAPS; lap++)
		for (i = 0; i < 2 * lines - (order == BACK ? 2 : 0); i++) {
			unsigned line = i < lines ? i : 2 * lines - 2 - i;

			if (order == TWICE)
				line = i % 2 ? (i / 2 + lines - lines / 4) % lines : i / 2;
			if (!cache_use(&set, line) && lap >= LAPS / 2)
				misses++;
			loads += lap >= LAPS / 2;
		}
	cache_free(&set);
	return (double)misses / loads;
}

/* The rest comes from L2. */
static struct wanted replaced(const struct judged *j, json_t *row, unsigned order)
{
	const struct cpu *c = j->cpu;
	double lines = param_of(row, "ways"), hit = level_latency(c, 0);
	double miss = level_latency(c, 1) - hit;

	if (!undisturbed(c) || c->ip_stride || c->row_bytes || !one_set_below(c, lines))
		return anything();
	hit += missing(c, order, (unsigned)lines) * miss;
	return between(hit - SHARE * miss / 100, hit + SHARE * miss / 100);
}

/* Each line has a set of its own, in one large page or two. */
static struct wanted own_sets(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;

	if (!undisturbed(c) || c->level[0].hash != HASH_NONE || c->line > 64)
		return anything();
	return within(level_latency(c, 0), LATENCY);
}

/*
 * The share of misses, and the policy's name; none where a neighbour takes ways at times, or loads
 * that are equal steps apart by chance bring lines from other pages.
 */
static void expect_policy(struct expected_list *l)
{
	static const char *const names[] = {
		[POLICY_LRU] = "LRU",
		[POLICY_RANDOM] = "random",
		[POLICY_PLRU] = "bit-PLRU",
		[POLICY_TREE] = "tree-PLRU",
	};
	const struct cpu *c = l->cpu;
	unsigned ways = (unsigned)c->level[0].ways;
	struct expected *d;

	if ((c->taken_l1 && c->period_us) || c->ip_pages)
		return;
	d = expect_near(l, "l1d_policy", missing(c, TWICE, ways + POLICY_BEYOND), SHARE / 100.,
		SHARE_TEXT);
	d->form = names[c->level[0].policy];
	expect_none(d, ways < POLICY_LEAST || ways > POLICY_MOST,
		"beyond the ways that are looked for");
	expect_maybe_none(d, !one_set_below(c, 2 * ways), "lines 4 KiB apart share no set");
	expect_maybe_none(d, !undisturbed(c), "something else takes time, or lines");
	expect_maybe_none(d, c->ip_stride, "a prefetcher may bring lines");
	expect_maybe_none(d, ways == POLICY_LEAST, "in four ways a tree is like LRU");
}

static void expect_ways(struct expected_list *l)
{
	uint64_t ways = l->cpu->level[0].ways;
	struct expected *d = expect_bisected(l, "l1d_ways", (double)ways, 0, 1, "exact");

	expect_maybe_none(d, ways < 2 || ways >= WAYS_MOST,
		"beyond the numbers of lines that are tried");
	expect_shared(l, "l1d_ways", ways, l->cpu->taken_l1);
	expect_policy(l);
}

static const struct row_rule rules[] = {
	ROWS("same-set", CYCLES, one_set),
	ROWS("same-index", CYCLES, one_set),
	ROWS("same-pages", CYCLES, own_sets),
	ROWS("same-index-twice", CYCLES, replaced, .of = TWICE),
	ROWS("same-index-back", CYCLES, replaced, .of = BACK),
};

static const struct sweep sweeps[] = {
	{ "same-set", "ways", .first = 1, .last = WAYS_MOST, .step = 1, .ratio = 1 },
	{ "same-index", "ways", .first = 1, .last = WAYS_MOST, .step = 1, .ratio = 1 },
	{ "same-index-twice", "ways", .first = 6, .last = 20, .step = 1, .ratio = 1 },
	{ "same-index-back", "ways", .first = 6, .last = 20, .step = 1, .ratio = 1 },
	{ 0 },
};

static const struct row_unit units[] = { { "", "ns/load" }, { 0 } };

const struct truth truth_ways = {
	RULES(rules),
	.expect = expect_ways,
	.sweeps = sweeps,
	.units = units,
};
