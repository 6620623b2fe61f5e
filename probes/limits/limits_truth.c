/* SPDX-License-Identifier: MIT */
/* Rows and values of `limits`: how many instructions of a kind the machine executes in a cycle. */
#include <math.h>

#include "tests/kam/judge/truth.h"

TOLERANCE(ISSUE, 2, "%", "240 instructions do not fill groups of 7 or 9: 1 or 2 % of the width")

#define ROUND        12 /* instructions, in as many chains: probes/limits/limits.c */
#define JUMPS_A_NOP  5  /* branches in 32 bytes, and what fills these up */
#define RESOLVED     2  /* cycles: a count, its jump */
#define TARGETS_LESS 64 /* known targets: fewer may not hold the loop's and those around it */

#define APART 30720.0 /* instructions of a sample, between four stamps that may be a step off */
#define HALF  (1 / 2.0)

/*
 * The kinds: the instructions of a turn, and the units that each takes; a turn also has a count and
 * its jump.
 */
static const struct turn_kind {
	const char *variant;
	double shorter, longer; /* instructions of a turn; shorter 0: none is made */
	double alu, shift, lea, branch, vector, multiply, load, wide_load, store, wide_store;
	double nops, jumps, chain; /* `chain`: cycles until the next one of it, of ADD 1 */
} kinds[] = {
	{ "nop", 119, 239, .nops = 0 },
	{ "add", 119, 239, .alu = 1, .chain = 1 },
	{ "lea", 119, 239, .alu = 1, .lea = 1, .chain = 1 },
	{ "imul", 59, 119, .multiply = 1 },
	{ "shl", 59, 119, .alu = 1, .shift = 1, .chain = 1 },
	{ "load-64", 59, 119, .load = 1 },
	{ "load-128", 59, 119, .load = 1, .wide_load = 1 },
	{ "store-64", 59, 119, .store = 1 },
	{ "store-128", 59, 119, .store = 1, .wide_store = 1 },
	{ "load-store", 59, 119, .load = HALF, .store = HALF },
	{ "branch-not-taken", 59, 119, .alu = 1, .branch = 1, .nops = 1. / JUMPS_A_NOP },
	{ "branch-taken", 0, 15, .jumps = 1 },
	{ "vector-128", 59, 119, .vector = 1, .chain = 1 },
	{ "mix", 119, 239, .alu = HALF, .lea = HALF, .load = 1. / 3, .store = 1. / 6 },
};

/* Cycles for n uses of a unit of which there are so many; 0: no such limit. */
static double cycles(double n, uint64_t units)
{
	return units ? n / (double)units : 0;
}

/* A taken jump ends its group; the next one comes `taken` cycles after it. */
static double front(const struct cpu *c, double instructions, double jumps)
{
	double taken = (double)c->limits.taken;

	return jumps * taken + ceil((instructions - jumps) / (double)c->width) - 1 + taken;
}

static double turn(const struct cpu *c, const struct turn_kind *k, double n)
{
	double own = n + 1; /* a round's last one is the next one's: whole rounds */
	double vector_alus = c->limits.vectors ? 0 : k->vector;
	double alu = n * (k->alu + vector_alus) + 1 + !c->fold;
	double most = front(c, n + 2 + own * k->nops, n * k->jumps);
	const double each[] = {
		cycles(alu, c->alus),
		cycles(own * k->shift, c->limits.shifts),
		cycles(own * k->lea, c->limits.leas),
		cycles(n * k->branch + 1, c->limits.branches),
		cycles(own * k->vector, c->limits.vectors),
		cycles(own * k->multiply * (double)c->limits.multiply_every, c->multipliers),
		own * k->multiply * (double)c->multiply / ROUND,
		own * k->chain / ROUND,
		cycles(own * k->load, c->loads),
		cycles(own * k->wide_load, c->limits.wide_loads),
		cycles(own * k->store, c->stores),
		cycles(own * k->wide_store, c->limits.wide_stores),
		cycles(own * k->store, c->limits.commits),
		cycles(own * (k->load + k->store), c->limits.accesses),
	};

	for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++)
		most = fmax(most, each[i]);
	return most;
}

/*
 * Returns the cycles that a turn's own jump adds if none is predicted: count and jump are done
 * first.
 */
static double jump_back(const struct cpu *c)
{
	return c->predictor == PREDICTOR_NEVER
		? RESOLVED + (double)c->penalty - (double)c->limits.taken
		: 0;
}

static double bound(const struct cpu *c, const struct turn_kind *k)
{
	if (k->branch > 0 ? c->predictor == PREDICTOR_NEVER
			  : k->jumps > 0 && c->targets < TARGETS_LESS)
		return NAN;
	if (!k->shorter)
		return (turn(c, k, k->longer) + jump_back(c)) / (k->longer + 1);
	return (turn(c, k, k->longer) - turn(c, k, k->shorter)) / (k->longer - k->shorter);
}

static struct wanted rate(const struct judged *j, json_t *row, unsigned kind)
{
	double is = bound(j->cpu, &kinds[kind]), steps = 4 * step_cycles(j->cpu) / APART;

	if (isnan(is) || !undisturbed(j->cpu))
		return anything();
	return between(less(is, OPERATION_LESS) - steps, more(is, ISSUED_MORE) + steps);
}

static void rows(const struct judged *j)
{
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct row_rule rule = ROWS(kinds[i].variant, CYCLES, rate, i);

		judge_rules(j, "limits", &rule, 1);
	}
}

static void at_most(struct expected_list *l, const char *name, double units, double also,
	double width)
{
	expect_percent(l, name, fmin(width, fmin(units, also)), ISSUE, ISSUE_TEXT);
}

static void expect_limits(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	double width = (double)c->width, stores = (double)c->stores;
	double either = c->limits.accesses ? (double)c->limits.accesses : width;
	double multiplies = (double)c->multipliers / (double)c->limits.multiply_every;

	at_most(l, "issue_width", width, width, width);
	at_most(l, "adds_per_cycle", (double)c->alus, width, width);
	at_most(l, "multiplies_per_cycle", multiplies, ROUND / (double)c->multiply, width);
	at_most(l, "loads_per_cycle", (double)c->loads, either, width);
	at_most(l, "stores_per_cycle", fmin(stores, either), (double)c->limits.commits, width);
}

const struct truth truth_limits = { .rows = rows, .expect = expect_limits };
