/* SPDX-License-Identifier: MIT */
/* Rows of `ilp`, `random`, `matmul` and `memtype`: what work costs. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/row_rules.h"

enum { READ = 2, WRITE }; /* instructions of an access at random */

#define SWEPT_LEAST 8192 /* bytes: in smaller buffers the ends of the passes show */

/* Cycles in which n instructions enter that end with a taken branch. */
static double group(const struct cpu *c, double n)
{
	return ceil(n / (double)c->width);
}

/* 48 operations and the loop's two: chains, ports or the front end. */
static struct wanted chains(const struct judged *j, json_t *row, double latency, double ports)
{
	double lanes = param_of(row, "lanes"), front = group(j->cpu, 50) / 48;
	double cycles = fmax(latency / lanes, fmax(1 / ports, front));

	if (j->cpu->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(cycles, OPERATION_LESS), more(cycles, CHAIN_MORE) + CHAIN_CYCLES);
}

static struct wanted adds(const struct judged *j, json_t *row, unsigned of)
{
	return chains(j, row, 1, (double)j->cpu->alus);
}

static struct wanted multiplications(const struct judged *j, json_t *row, unsigned of)
{
	return chains(j, row, (double)j->cpu->multiply, (double)j->cpu->multipliers);
}

/* A sum that waits for the one before. */
static struct wanted prefix_sum(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = fmax((double)j->cpu->fp_add, group(j->cpu, 11) / 4);

	return j->cpu->predictor == PREDICTOR_NEVER
		? anything()
		: between(less(cycles, OPERATION_LESS), more(cycles, SUM_MORE));
}

/* Four elements of five instructions and the loop's three; between two laps a little more. */
static struct wanted differences(const struct judged *j, json_t *row, unsigned of)
{
	double front = group(j->cpu, 23) / 4, stores = 1 / (double)j->cpu->stores;
	double cycles = fmax(front, stores), lap = ((double)j->cpu->penalty + EXIT_CYCLES) / 100;

	return j->cpu->predictor == PREDICTOR_NEVER
		? anything()
		: between(less(cycles, OPERATION_LESS), more(cycles, STORES_MORE) + lap);
}

/* A product that waits for the one before; the end of the loop may be mispredicted. */
static struct wanted factorial(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = (double)j->cpu->multiply,
	       lap = ((double)j->cpu->penalty + EXIT_CYCLES) / 20;

	return j->cpu->predictor == PREDICTOR_NEVER
		? anything()
		: between(less(cycles, OPERATION_LESS), cycles + lap);
}

/* Two instructions an access, and a third for a write; the loop's three come once in 16. */
static struct wanted random_near(const struct judged *j, json_t *row, double each, double ports)
{
	double cycles = fmax(ports, group(j->cpu, 16 * each + 3) / 16);

	return j->cpu->predictor == PREDICTOR_NEVER || !undisturbed(j->cpu)
		? anything()
		: between(less(cycles, OPERATION_LESS), more(cycles, RANDOM_MORE));
}

static struct wanted random_in_l1(const struct judged *j, json_t *row, unsigned each)
{
	double load = 1 / (double)j->cpu->loads, store = 1 / (double)j->cpu->stores;

	return random_near(j, row, each, each == WRITE ? fmax(load, store) : 2 * load);
}

/* Of the sweep of every width, the sizes that lie in L1 with their index. */
static bool swept_in_l1(const struct judged *j, json_t *row)
{
	double bytes = param_of(row, "bytes");

	return !*text_of(row, "level") && bytes >= SWEPT_LEAST &&
		bytes <= (double)j->cpu->level[0].bytes / 2;
}

static struct wanted swept(const struct judged *j, json_t *row, unsigned each)
{
	return swept_in_l1(j, row) ? random_in_l1(j, row, each) : anything();
}

/*
 * In memory no access takes less than its share of the misses in parallel, and none so long as if
 * it waited for the one before.
 */
static struct wanted random_far(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double misses = parallel_misses_bound(c, NULL), bytes = param_of(row, "bytes");
	double part = 1 - (double)c->level[cpu_levels(c) - 1].bytes / bytes;

	return between(less(part * memory_cycles(c) / misses, RANDOM_LESS),
		less(memory_cycles(c) + translation_cycles(c, bytes), RANDOM_OVERLAP));
}

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
	return between(less(group(c, 6), OPERATION_LESS),
		(double)(c->fp_add + c->fp_multiply) + group(c, 10) +
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

/* Without ring 0 there is no choice of memory types: every row says so. */
static void memory_types(const struct judged *j)
{
	json_t *line;
	size_t i;

	if (strcmp(text_of(j->run->run, "room"), "hosted"))
		return;
	json_array_foreach(j->run->rows, i, line)
		if (!strcmp(text_of(line, "probe"), "memtype"))
			tally_wrong(j->tally, "memtype", "measured in room hosted");
}

void judge_work_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		ROWS("ilp", "add", CYCLES, adds),
		ROWS("ilp", "multiply", CYCLES, multiplications),
		ROWS("ilp", "prefix-sum", CYCLES, prefix_sum),
		ROWS("ilp", "differences", CYCLES, differences),
		ROWS("ilp", "factorial-loop", CYCLES, factorial),
		ROWS("random", "read", CYCLES, random_in_l1, READ, .level = "l1"),
		ROWS("random", "write", CYCLES, random_in_l1, WRITE, .level = "l1"),
		ROWS_AS("random:read swept", "random", "read", CYCLES, swept, READ),
		ROWS_AS("random:write swept", "random", "write", CYCLES, swept, WRITE),
		ROWS("random", "read", CYCLES, random_far, .level = "memory"),
		ROWS("random", "write", CYCLES, random_far, .level = "memory"),
		ROWS("matmul", "ijk", CYCLES, near_orders),
		ROWS("matmul", "ikj", CYCLES, near_orders),
		ROWS("matmul", "ijk-vector", CYCLES, near_vectors),
		ROWS("matmul", "ikj-vector", CYCLES, near_vectors),
		ROWS_AS("matmul:ijk columns", "matmul", "ijk", CYCLES, columns),
	};

	orders(j);
	memory_types(j);
	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
