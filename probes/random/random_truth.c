/* SPDX-License-Identifier: MIT */
/* `random`: independent accesses at random places. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(RANDOM_MORE, 5, "%", "an index of two is not paired with its access")
TOLERANCE(RANDOM_LESS, 3, "%", "below the share of the misses: the rest of the last cache")
TOLERANCE(RANDOM_OVERLAP, 10, "%", "below a whole latency: accesses do not wait for one another")

enum { READ, WRITE };

#define SWEPT_LEAST 8192 /* bytes: in smaller buffers the ends of the passes show */

#define TURN      32 /* accesses */
#define BETWEEN   10 /* instructions between two passes */
#define REMEMBERS 8  /* turns whose end is predicted */

/* Two instructions an access, three of words beyond 64 bits; the loop's three once in a turn. */
static struct wanted access(const struct judged *j, json_t *row, double ports)
{
	const struct cpu *c = j->cpu;
	double width = param_of(row, "width_bits") / 8, all = 2 + (width > 8); /* a shift */
	double cycles = fmax(ports, front_end_cycles(c, TURN * all + 3) / TURN);
	double accesses = param_of(row, "bytes") / (width + (*text_of(row, "level") ? 4 : 0));
	bool forgets = c->predictor != PREDICTOR_PERFECT && accesses / TURN > REMEMBERS;
	double end = front_end_cycles(c, BETWEEN) + (forgets ? (double)c->penalty : 0);

	return c->predictor == PREDICTOR_NEVER || !undisturbed(c)
		? anything()
		: between(less(cycles, OPERATION_LESS), more(cycles + end / accesses, RANDOM_MORE));
}

static struct wanted in_l1(const struct judged *j, json_t *row, unsigned op)
{
	double load = 1 / (double)j->cpu->loads, store = 1 / (double)j->cpu->stores;

	store = fmax(store, 1 / (double)j->cpu->limits.commits);
	return access(j, row, op == WRITE ? fmax(load, store) : 2 * load);
}

/* Returns true for a row of a width's sweep whose buffer and index lie in L1. */
static bool swept_in_l1(const struct judged *j, json_t *row)
{
	double bytes = param_of(row, "bytes");

	return !*text_of(row, "level") && bytes >= SWEPT_LEAST &&
		bytes * (1 + 32 / param_of(row, "width_bits")) <=
		(double)j->cpu->level[0].bytes / 2;
}

static struct wanted swept(const struct judged *j, json_t *row, unsigned op)
{
	return swept_in_l1(j, row) ? in_l1(j, row, op) : anything();
}

/*
 * In memory no access takes less than its share of the misses in parallel, and none so long as if
 * it waited for the one before.
 */
static struct wanted far(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double misses = parallel_misses_bound(c, NULL), bytes = param_of(row, "bytes");
	double part = 1 - (double)c->level[cpu_levels(c) - 1].bytes / bytes;

	return between(less(part * memory_cycles(c) / misses, RANDOM_LESS),
		less(memory_cycles(c) + translation_cycles(c, bytes), RANDOM_OVERLAP));
}

static const struct row_rule rules[] = {
	ROWS("read", CYCLES, in_l1, READ, .level = "l1"),
	ROWS("write", CYCLES, in_l1, WRITE, .level = "l1"),
	ROWS_AS("random:read swept", "read", CYCLES, swept, READ),
	ROWS_AS("random:write swept", "write", CYCLES, swept, WRITE),
	ROWS("read", CYCLES, far, .level = "memory"),
	ROWS("write", CYCLES, far, .level = "memory"),
};

const struct truth truth_random = { RULES(rules) };
