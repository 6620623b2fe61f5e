/* SPDX-License-Identifier: MIT */
/* Rows of `indirect`: what the predictor makes of a list, and what each misprediction costs. */
#include <math.h>

#include "tests/kam/judge/indirect_oracle.h"
#include "tests/kam/judge/row_rules.h"

#define LINE_ELEMENTS 8.0  /* of a list, in a line of 64 bytes */
#define NEAR          0.03 /* of the table */
#define LOOP_TARGETS  8    /* of the jumps around those of the list */

/* So near the end of the table a row may be on either side. */
static bool near_edge(const struct cpu *c, const struct indirect_list *l)
{
	double beside = (double)c->indirect.history + NEAR * (double)c->indirect.entries;

	return fabs((double)l->period - (double)c->indirect.entries) < beside;
}

/* What a load of the list takes more than from L1, in the mean, where it does not fit. */
static double far_load(const struct cpu *c, const struct indirect_list *l)
{
	unsigned level = 0;

	while (level < cpu_levels(c) && 16 * indirect_elements(l) > (double)c->level[level].bytes)
		level++;
	return (level_latency(c, level) - level_latency(c, 0)) / LINE_ELEMENTS;
}

/* Each taken branch ends a group; what is mispredicted waits for the load of where it goes. */
static struct wanted costs(const struct judged *j, const struct indirect_list *l)
{
	const struct cpu *c = j->cpu;
	struct indirect_shares s = indirect_shares(c, l);
	double found = (l->nested ? 3 : 2) * (double)c->limits.taken +
		s.late * (double)c->target_miss + s.soon * (double)c->target_2;
	double ends =
		(l->nested ? INDIRECT_ENDS / l->period : 0) + INDIRECT_ENDS / indirect_elements(l);
	double cycles = found + s.wrong * indirect_miss(c) + s.returns * return_miss(c);

	if (!undisturbed(c) || c->line != 64 || near_edge(c, l))
		return anything();
	if (l->targets + LOOP_TARGETS > c->targets)
		return anything();
	ends += s.wrong > 0 ? far_load(c, l) : 0;
	return between(less(cycles, INDIRECT), more(cycles, INDIRECT) + ends);
}

static unsigned whole_param(json_t *row, const char *name)
{
	return (unsigned)param_of(row, name);
}

/* The list of a row: probes/indirect.c draws it by the run's seed and by what the row measures. */
static struct indirect_list drawn(const struct judged *j, json_t *row, unsigned kind,
	struct indirect_list l)
{
	double again = param_of(row, "again");
	uint64_t times = isnan(again) ? 0 : (uint64_t)again;

	l.known = true;
	l.seed = (uint64_t)number_of(j->run->run, "seed") ^
		(times << 56 | (uint64_t)kind << 48 | (uint64_t)l.targets << 24 | l.period);
	return l;
}

static struct wanted order(const struct judged *j, json_t *row)
{
	unsigned targets = whole_param(row, "targets");
	const struct indirect_list l = drawn(j, row, 0,
		(struct indirect_list){ .once = true, .targets = targets, .period = targets });

	return costs(j, &l);
}

static struct wanted period(const struct judged *j, json_t *row)
{
	const struct indirect_list l = drawn(j, row, 1,
		(struct indirect_list){ .targets = whole_param(row, "targets"),
			.period = whole_param(row, "elements") });

	return costs(j, &l);
}

static struct wanted at_random(const struct judged *j, json_t *row)
{
	const struct indirect_list l = {
		.fresh = true, .targets = whole_param(row, "targets"), .period = INDIRECT_FRESH
	};

	return costs(j, &l);
}

static struct wanted returns_of(const struct judged *j, json_t *row, bool fresh)
{
	const struct indirect_list l = { .nested = true,
		.fresh = fresh,
		.targets = whole_param(row, "targets"),
		.period = whole_param(row, "depth") };

	return costs(j, &l);
}

static struct wanted returns(const struct judged *j, json_t *row)
{
	return returns_of(j, row, false);
}

static struct wanted returns_random(const struct judged *j, json_t *row)
{
	return returns_of(j, row, true);
}

void judge_indirect_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		{ "indirect:order", "indirect", "order", NULL, CYCLES, order },
		{ "indirect:period", "indirect", "period", NULL, CYCLES, period },
		{ "indirect:random", "indirect", "random", NULL, CYCLES, at_random },
		{ "indirect:returns", "indirect", "returns", NULL, CYCLES, returns },
		{ "indirect:returns-random", "indirect", "returns-random", NULL, CYCLES,
			returns_random },
	};

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
