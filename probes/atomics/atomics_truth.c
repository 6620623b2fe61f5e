/* SPDX-License-Identifier: MIT */
/* Rows and values of `atomics`: locked operations alone, and of several cores at once. */
#include <math.h>

#include "tests/kam/judge/cores_bound.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(LOCKED, 1, "%", "of many in a row, none of which overlaps")
TOLERANCE(FENCED_STORE, 3, "cycles", "above a fence: the store before it, until it is in L1")
TOLERANCE(SHARED, 2, "%", "between two calls of a loop the others have the line to themselves")
TOLERANCE(SHARES, 1, "%", "beyond that, of the fastest and the slowest of them")

#define TURN       6.0 /* instructions: four additions, a count and a jump */
#define FOUR       4.0
#define OPERATIONS 1024.0 /* of a call, between two stamps of which each may be a step off */
#define SPLIT      8.0    /* likewise across lines */
#define LINES_MOST 128    /* bytes: the row's line ends where one of these does */

/* An ADD to the word to which the ADD before it added; nothing else is in the way. */
static double plain_add_cycles(const struct cpu *c)
{
	double whole = c->forwarding.whole ? (double)c->forwarding.whole / 10 : (double)c->forward;
	double forwarded = c->forwarding.renames ? (double)c->forwarding.renamed / 10 : whole;

	return fmax(forwarded + 1, ceil(TURN / (double)c->width) / FOUR);
}

/* Returns the cycles of a transfer between the nearest or the farthest two of the first n cores. */
static double transfer(const struct cpu *c, unsigned n, bool farthest)
{
	double found = NAN;

	for (unsigned a = 0; a < n; a++)
		for (unsigned b = a + 1; b < n; b++) {
			double cycles = transfer_cycles(c, a, b);

			found = farthest ? fmax(found, cycles) : fmin(found, cycles);
		}
	return found;
}

/*
 * Returns the least, or the most, cycles of a locked operation of `cycles` that each of the first n
 * cores makes in one line: each core has the line once a round, and each way of the line takes as
 * long as a transfer.
 */
static double shared_least(const struct cpu *c, unsigned n, double cycles)
{
	double way = transfer(c, n, false);

	return fmax(n * way, way + cycles - (double)c->level[0].latency);
}

static double shared_most(const struct cpu *c, unsigned n, double cycles)
{
	double way = transfer(c, n, true) + (double)(c->home ? c->home_cost : 0);

	return fmax(n * way, way + cycles);
}

/* Operations of `cycles` each, one after the other, and the end of their loop. */
static struct wanted in_a_row(const struct judged *j, double cycles, double operations)
{
	const struct cpu *c = j->cpu;
	double step = 2 * step_cycles(c);

	if (c->predictor == PREDICTOR_NEVER || !undisturbed(c))
		return anything();
	return between(less(cycles, LOCKED) - step / operations,
		more(cycles, LOCKED) + (step + (double)c->penalty + EXIT_CYCLES) / operations);
}

static struct wanted alone(const struct judged *j, json_t *row, unsigned member)
{
	return in_a_row(j, (double)cpu_number(j->cpu, member), OPERATIONS);
}

static struct wanted add(const struct judged *j, json_t *row, unsigned of)
{
	return in_a_row(j, plain_add_cycles(j->cpu), OPERATIONS);
}

/* An XCHG and an ADD of the value that it returns. */
static struct wanted xchg(const struct judged *j, json_t *row, unsigned of)
{
	return in_a_row(j, (double)(j->cpu->atomics.xchg + 1), OPERATIONS);
}

/* A fence begins when the store is done, and ends when that is in L1. */
static struct wanted store_mfence(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	struct wanted w =
		in_a_row(j, (double)(c->atomics.mfence ? c->atomics.mfence : c->fence), OPERATIONS);

	w.high += FENCED_STORE;
	return w;
}

static struct wanted split(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	bool more = c->atomics.split && c->line <= LINES_MOST;

	return in_a_row(j, (double)(more ? c->atomics.split : c->atomics.lock_add), SPLIT);
}

static struct wanted in_ns(const struct judged *j, double low, double high)
{
	double ns = 1e9 / (double)j->chip->hz;

	return between(less(low, SHARED) * ns, more(high, SHARED) * ns);
}

static unsigned cores(json_t *row)
{
	double n = param_of(row, "cpus");

	return n >= 2 && n <= CORES_MOST ? (unsigned)n : 0;
}

static struct wanted in_one_line(const struct judged *j, json_t *row, double cycles)
{
	unsigned n = cores(row);

	return in_ns(j, shared_least(j->chip, n, cycles), shared_most(j->chip, n, cycles));
}

static struct wanted shared(const struct judged *j, json_t *row, unsigned member)
{
	return in_one_line(j, row, (double)cpu_number(j->chip, member));
}

static struct wanted own_lines(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = (double)j->chip->atomics.lock_add;

	return in_ns(j, cycles, cycles);
}

/* While the line is away additions wait in the store buffer: no closed form says how many. */
static struct wanted false_sharing_add(const struct judged *j, json_t *row, unsigned of)
{
	double own = plain_add_cycles(j->chip);

	return in_ns(j, own, 2 * shared_most(j->chip, cores(row), own));
}

static struct wanted own_lines_add(const struct judged *j, json_t *row, unsigned of)
{
	double own = plain_add_cycles(j->chip);

	return in_ns(j, own, own);
}

static const struct row_rule of_one[] = {
	ROWS("add", CYCLES, add),
	ROWS("lock-add", CYCLES, alone, CPU(atomics.lock_add)),
	ROWS("cas", CYCLES, alone, CPU(atomics.cas)),
	ROWS("cas-fails", CYCLES, alone, CPU(atomics.cas)),
	ROWS("lock-xadd", CYCLES, alone, CPU(atomics.lock_xadd)),
	ROWS("xchg", CYCLES, xchg),
	ROWS("store-mfence", CYCLES, store_mfence),
	ROWS("split", CYCLES, split),
};

#define SEVERAL(variant, ...) ROWS_AS("atomics:" variant, variant, MEDIAN, __VA_ARGS__)
static const struct row_rule of_several[] = {
	SEVERAL("shared", shared, CPU(atomics.lock_xadd)),
	SEVERAL("shared-cas", shared, CPU(atomics.cas)),
	SEVERAL("false-sharing", shared, CPU(atomics.lock_add)),
	SEVERAL("own-lines", own_lines),
	SEVERAL("false-sharing-add", false_sharing_add),
	SEVERAL("own-lines-add", own_lines_add),
};
#undef SEVERAL

/* The fastest and the slowest CPU must be within the row's bounds, on either side of its number. */
static void judge_shares(const struct judged *j)
{
	unsigned right = 0;
	json_t *row;
	size_t i, k;

	json_array_foreach(j->run->rows, i, row)
		for (k = 0; k < sizeof(of_several) / sizeof(*of_several); k++) {
			json_t *told = json_object_get(row, "more");
			double low = number_of(told, "cpu_ns_least");
			double high = number_of(told, "cpu_ns_most");
			double is = row_number(row, MEDIAN);
			struct wanted w;

			if (!is_row(row, "atomics", of_several[k].variant))
				continue;
			w = of_several[k].wanted(j, row, of_several[k].of);
			if (low >= less(w.low, SHARES) && high <= more(w.high, SHARES) &&
				low <= more(is, SHARED) && high >= less(is, SHARED))
				right++;
			else
				tally_wrong(j->tally, of_several[k].name,
					"shares of %.6g to %.6g beside %.6g", low, high, is);
		}
	if (right)
		tally_right(j->tally, "atomics shares", right, "rows");
}

static void rows_of_several(const struct judged *j)
{
	judge_rules(j, "atomics", of_several, sizeof(of_several) / sizeof(*of_several));
	judge_shares(j);
}

static void expect_atomics(struct expected_list *l)
{
	const struct cpu *c = l->cpu, *chip = l->chip;
	double once = (double)c->atomics.lock_add, xadd = (double)c->atomics.lock_xadd;
	double ns = 1e9 / (double)chip->hz;

	expect_percent(l, "lock_add_cycles", once, LOCKED, LOCKED_TEXT);
	expect_percent(l, "cas_cycles", (double)c->atomics.cas, LOCKED, LOCKED_TEXT);
	if (chip->cpus < 2)
		return;
	expect_percent(l, "atomics_shared_ns", shared_least(chip, 2, xadd) * ns, SHARED,
		SHARED_TEXT);
	expect_percent(l, "false_sharing_ratio", shared_least(chip, 2, once) / once, SHARED,
		SHARED_TEXT);
}

const struct truth truth_atomics = {
	RULES(of_one),
	.rows = rows_of_several,
	.expect = expect_atomics,
};
