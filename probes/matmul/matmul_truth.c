/* SPDX-License-Identifier: MIT */
/* `matmul`: both orders of the loops. */
#include <math.h>

#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(ORDERS, 20, "%", "that ikj takes less than ijk, at least")
TOLERANCE(VECTORS, 55, "%", "below scalar code: half of the instructions, and the loop's")
TOLERANCE(COLUMNS_LESS, 3, "%", "as RANDOM_LESS")
TOLERANCE(COLUMNS_MORE, 15, "%", "a row of the result ends the misses in parallel")

/* The order that walks along a row of b, where b is larger than every cache. */
static void orders(const struct judged *j)
{
	json_t *ijk = row_with(j, "matmul", "ijk", "n", 512, NULL);
	json_t *ikj = row_with(j, "matmul", "ikj", "n", 512, NULL);
	double slow = ijk ? number_of(ijk, "median") : NAN;
	double fast = ikj ? number_of(ikj, "median") : NAN;

	if (isnan(slow) || isnan(fast))
		return;
	tally_value(j->tally, "matmul:orders", 0, fast / slow, "ikj takes less",
		fast < less(slow, ORDERS) ? NULL : "ijk should take longer");
}

/* An element of ikj in L1 is bound by throughput, of ijk by the chain of sums, in part. */
static struct wanted near_orders(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;

	if (param_of(row, "n") != 32 || c->predictor == PREDICTOR_NEVER ||
		c->level[0].bytes < 24 << 10)
		return anything();
	return between(less(front_end_cycles(c, 6), OPERATION_LESS),
		(double)(c->fp_add + c->fp_multiply) + front_end_cycles(c, 10) +
			((double)c->penalty + EXIT_CYCLES) / 32);
}

/* Vectors of two take half of the scalar code's instructions at best, and never longer than it. */
static struct wanted near_vectors(const struct judged *j, json_t *row, unsigned of)
{
	struct wanted scalar = near_orders(j, row, of);

	return isnan(scalar.low) ? scalar : between(less(scalar.low, VECTORS), scalar.high);
}

/*
 * A column of b, whose elements are 8 n bytes apart, is more than the last cache holds of such
 * lines: each multiplication misses, as many at once as the buffers let; the rest takes no longer.
 */
static struct wanted columns(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double n = param_of(row, "n"),
	       each = (double)c->memory_latency / parallel_misses_bound(c, NULL);

	if (n < 512 || soft_edge(c, cpu_levels(c) - 1) || prefetches(c) || c->row_bytes ||
		!undisturbed(c) || n * 8 * n < 2 * (double)c->level[cpu_levels(c) - 1].bytes)
		return anything();
	return between(less(each, COLUMNS_LESS), more(each, COLUMNS_MORE));
}

static const struct row_rule rules[] = {
	ROWS("ijk", CYCLES, near_orders),
	ROWS("ikj", CYCLES, near_orders),
	ROWS("ijk-vector", CYCLES, near_vectors),
	ROWS("ikj-vector", CYCLES, near_vectors),
	ROWS_AS("matmul:ijk columns", "ijk", CYCLES, columns),
};

const struct truth truth_matmul = { RULES(rules), .rows = orders };
