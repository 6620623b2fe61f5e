/* SPDX-License-Identifier: MIT */
/* Rows of `atomics`: locked operations alone, and of several cores at once. */
#include <math.h>

#include "tests/kam/judge/atomics_bound.h"
#include "tests/kam/judge/row_rules.h"

#define OPERATIONS 1024.0 /* of a call, between two stamps of which each may be a step off */
#define SPLIT      8.0    /* likewise across lines */
#define LINES_MOST 128    /* bytes: the row's line ends where one of these does */

/* So many in a row, and the end of their loop. */
static struct wanted alone(const struct judged *j, double cycles, double operations)
{
	const struct cpu *c = j->cpu;
	double step = 2 * (double)c->tsc_step * (double)c->hz / (double)c->tsc_hz;

	if (c->predictor == PREDICTOR_NEVER || !undisturbed(c))
		return anything();
	return between(less(cycles, LOCKED) - step / operations,
		more(cycles, LOCKED) + (step + (double)c->penalty + EXIT_CYCLES) / operations);
}

#define ALONE_IS(name, cycles)                                                                     \
	static struct wanted name(const struct judged *j, json_t *row)                             \
	{                                                                                          \
		const struct cpu *c = j->cpu;                                                      \
                                                                                                   \
		(void)row;                                                                         \
		return alone(j, (double)(cycles), OPERATIONS);                                     \
	}
ALONE_IS(add, plain_add_cycles(c))
ALONE_IS(lock_add, c->atomics.lock_add)
ALONE_IS(lock_xadd, c->atomics.lock_xadd)
ALONE_IS(cas, c->atomics.cas)
ALONE_IS(xchg, c->atomics.xchg + 1) /* and an ADD of what comes back */
#undef ALONE_IS

/* A fence begins when the store is done, and ends when that is in L1. */
static struct wanted store_mfence(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;
	struct wanted w =
		alone(j, (double)(c->atomics.mfence ? c->atomics.mfence : c->fence), OPERATIONS);

	(void)row;
	w.high += FENCED_STORE;
	return w;
}

static struct wanted split(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;
	bool more = c->atomics.split && c->line <= LINES_MOST;

	(void)row;
	return alone(j, (double)(more ? c->atomics.split : c->atomics.lock_add), SPLIT);
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

static struct wanted shared(const struct judged *j, json_t *row)
{
	return in_one_line(j, row, (double)j->chip->atomics.lock_xadd);
}

static struct wanted shared_cas(const struct judged *j, json_t *row)
{
	return in_one_line(j, row, (double)j->chip->atomics.cas);
}

static struct wanted false_sharing(const struct judged *j, json_t *row)
{
	return in_one_line(j, row, (double)j->chip->atomics.lock_add);
}

static struct wanted own_lines(const struct judged *j, json_t *row)
{
	double cycles = (double)j->chip->atomics.lock_add;

	(void)row;
	return in_ns(j, cycles, cycles);
}

/* While the line is away additions wait in the store buffer: no closed form says how many. */
static struct wanted false_sharing_add(const struct judged *j, json_t *row)
{
	double own = plain_add_cycles(j->chip);

	return in_ns(j, own, 2 * shared_most(j->chip, cores(row), own));
}

static struct wanted own_lines_add(const struct judged *j, json_t *row)
{
	double own = plain_add_cycles(j->chip);

	(void)row;
	return in_ns(j, own, own);
}

/* The fastest and the slowest CPU are what the row's number may be, on either side of it. */
static void judge_shares(const struct judged *j, const struct row_rule *rules, size_t n)
{
	unsigned right = 0;
	json_t *row;
	size_t i, k;

	json_array_foreach(j->run->rows, i, row)
		for (k = 0; k < n; k++) {
			json_t *told = json_object_get(row, "more");
			double low = number_of(told, "cpu_ns_least");
			double high = number_of(told, "cpu_ns_most");
			double is = row_number(row, MEDIAN);
			struct wanted w;

			if (!is_row(row, rules[k].probe, rules[k].variant))
				continue;
			w = rules[k].wanted(j, row);
			if (low >= less(w.low, SHARES) && high <= more(w.high, SHARES) &&
				low <= more(is, SHARED) && high >= less(is, SHARED))
				right++;
			else
				tally_wrong(j->tally, rules[k].name,
					"shares of %.6g to %.6g beside %.6g", low, high, is);
		}
	if (right)
		tally_right(j->tally, "atomics shares", right, "rows");
}

void judge_atomics_rows(const struct judged *j)
{
#define RULE(variant, number, wanted)                                                              \
	{                                                                                          \
		"atomics:" variant, "atomics", variant, NULL, number, wanted                       \
	}
	static const struct row_rule of_one[] = {
		RULE("add", CYCLES, add),
		RULE("lock-add", CYCLES, lock_add),
		RULE("cas", CYCLES, cas),
		RULE("cas-fails", CYCLES, cas),
		RULE("lock-xadd", CYCLES, lock_xadd),
		RULE("xchg", CYCLES, xchg),
		RULE("store-mfence", CYCLES, store_mfence),
		RULE("split", CYCLES, split),
	};
	static const struct row_rule of_several[] = {
		RULE("shared", MEDIAN, shared),
		RULE("shared-cas", MEDIAN, shared_cas),
		RULE("false-sharing", MEDIAN, false_sharing),
		RULE("own-lines", MEDIAN, own_lines),
		RULE("false-sharing-add", MEDIAN, false_sharing_add),
		RULE("own-lines-add", MEDIAN, own_lines_add),
	};
#undef RULE

	judge_rules(j, of_one, sizeof(of_one) / sizeof(*of_one));
	judge_rules(j, of_several, sizeof(of_several) / sizeof(*of_several));
	judge_shares(j, of_several, sizeof(of_several) / sizeof(*of_several));
}
