/* SPDX-License-Identifier: MIT */
/* `ways`: chases through one set. */
#include <math.h>

#include "tests/kam/judge/truth.h"

#define WAYS_MOST 32 /* that are tried */

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

/* Up to the ways of L1 all are there, however it replaces. */
static struct wanted one_set(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double lines = param_of(row, "ways"), apart = param_of(row, "stride_bytes");
	double left = 1, sum = 0;
	unsigned i;

	if (!undisturbed(c))
		return anything();
	if (lines <= (double)c->level[0].ways)
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

/* Each line has a set of its own, in one large page or two. */
static struct wanted own_sets(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;

	if (!undisturbed(c) || c->level[0].hash != HASH_NONE || c->line > 64)
		return anything();
	return within(level_latency(c, 0), LATENCY);
}

static void expect_ways(struct expected_list *l)
{
	uint64_t ways = l->cpu->level[0].ways;
	struct expected *d = expect_bisected(l, "l1d_ways", (double)ways, 0, 1, "exact");

	expect_maybe_none(d, ways < 2 || ways >= WAYS_MOST,
		"beyond the numbers of lines that are tried");
	expect_shared(l, "l1d_ways", ways, l->cpu->taken_l1);
}

static const struct row_rule rules[] = {
	ROWS("same-set", CYCLES, one_set),
	ROWS("same-index", CYCLES, one_set),
	ROWS("same-pages", CYCLES, own_sets),
};

static const struct sweep sweeps[] = {
	{ "same-set", "ways", .first = 1, .last = WAYS_MOST, .step = 1, .ratio = 1 },
	{ "same-index", "ways", .first = 1, .last = WAYS_MOST, .step = 1, .ratio = 1 },
	{ 0 },
};

static const struct row_unit units[] = { { "", "ns/load" }, { 0 } };

const struct truth truth_ways = {
	RULES(rules),
	.expect = expect_ways,
	.sweeps = sweeps,
	.units = units,
};
