/* SPDX-License-Identifier: MIT */
/*
 * The bandwidth that the loops of `bandwidth` can reach: the smallest bound of any part.
 * 16 bytes at a time, the widest that the machines have.
 */
#include <math.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/bandwidth_bound.h"

#define WIDTH 16

/* A way of streaming: a turn of its loop, and what each line of it takes. */
static const struct stream_kind {
	const char *names[CPU_LEVELS + 1]; /* L1 to L4, memory */
	double instructions;               /* in a turn */
	double loads, stores;              /* likewise */
	double crossings;                  /* of each pipe, for a line read or written */
	double blocks;                     /* of the buffer, where a pass walks one */
	double counting; /* instructions of a pass for a second cursor, and to count bytes */
} kinds[] = {
	{ { "read_bytes_per_cycle_l1", "read_bytes_per_cycle_l2", "read_bytes_per_cycle_l3",
		  "read_bytes_per_cycle_l4", "read_bytes_per_cycle_memory" },
		35, 32, 0, 1, 1, 0 },
	/* A line written is fetched to be owned, and later written back. */
	{ { "write_bytes_per_cycle_l1", "write_bytes_per_cycle_l2", "write_bytes_per_cycle_l3",
		  "write_bytes_per_cycle_l4", "write_bytes_per_cycle_memory" },
		35, 0, 32, 2, 1, 3 },
	{ { "copy_bytes_per_cycle_l1", "copy_bytes_per_cycle_l2", "copy_bytes_per_cycle_l3",
		  "copy_bytes_per_cycle_l4", "copy_bytes_per_cycle_memory" },
		68, 32, 32, 1.5, 2, 6 },
};

static double pipe_cycles(const struct cpu *c, unsigned pipe)
{
	if (pipe + 1 == cpu_levels(c))
		return (double)c->memory_gap;
	return ceil((double)c->line / (double)c->level[pipe + 1].fill_bytes);
}

static double latency(const struct cpu *c, unsigned from)
{
	return (double)(from < cpu_levels(c) ? c->level[from].latency : c->memory_latency);
}

/* Lines that may be under way from a level, or from memory, at once. */
static double buffers(const struct cpu *c, unsigned from)
{
	double first = (double)c->level[0].buffers, second = (double)c->level[1].buffers;

	return from > 1 && second > 0 ? fmin(first, second) : first;
}

double parallel_misses_bound(const struct cpu *c, double translated)
{
	double latency = (double)c->memory_latency, second = (double)c->level[1].buffers;
	double lines = c->adjacent ? 2 : 1; /* with each miss, as far as L2 */
	double most = fmin((double)c->level[0].buffers / latency, 1 / pipe_cycles(c, 0));
	unsigned i;

	if (second > 0)
		most = fmin(most, second / lines / latency);
	for (i = 1; i < cpu_levels(c); i++)
		most = fmin(most, 1 / (lines * pipe_cycles(c, i)));
	return most * (latency + translated);
}

/* Cycles in which n instructions enter that end with a taken branch. */
static double group(const struct cpu *c, double n)
{
	return ceil(n / (double)c->width);
}

/*
 * Out of half of L1, over and over: the turns of a pass, and between two passes nine branches,
 * seven of them taken (STREAM_PASSES). A store a cycle goes to L1.
 */
static double near(const struct cpu *c, const struct stream_kind *k)
{
	double half = exp2(floor(log2((double)c->level[0].bytes))) / 2;
	double turns = fmax(1, half / k->blocks / (32 * WIDTH));
	bool forgets = c->predictor != PREDICTOR_PERFECT && turns > 8; /* that the turns end */
	double between = 2 * group(c, 4) + 6 * group(c, 2) + group(c, 3 + k->counting) +
		(forgets ? (double)c->penalty + 2 : 0);
	double front = group(c, k->instructions), load = k->loads / (double)c->loads;
	double back = fmax(load, k->stores);
	/* What is entered and not yet done goes on between two passes. */
	double held =
		back > load ? (double)c->store_buffer : (double)c->window / k->instructions * load;
	double rest = back > front ? fmax(0, between - held) : between;

	return WIDTH * turns * (k->loads + k->stores) / (turns * fmax(front, back) + rest);
}

/* What waits: loads in the window, stores in their buffer. */
static double waiting(const struct cpu *c, const struct stream_kind *k)
{
	double all = k->loads + k->stores, most = INFINITY;

	if (k->loads)
		most = (double)c->window * WIDTH * all / k->instructions;
	if (k->stores)
		most = fmin(most, (double)c->store_buffer * WIDTH * all / k->stores);
	return most;
}

double bandwidth_bound(const struct cpu *c, enum stream_op kind, unsigned from)
{
	const struct stream_kind *k = &kinds[kind];
	double least = near(c, k), line = (double)c->line;
	unsigned i;

	if (from == 0)
		return least;
	for (i = 0; i < from && i < cpu_levels(c); i++)
		least = fmin(least, line / (k->crossings * pipe_cycles(c, i)));
	return fmin(least, fmin(line * buffers(c, from), waiting(c, k)) / latency(c, from));
}

const char *bandwidth_name(enum stream_op kind, unsigned level)
{
	return kinds[kind].names[level];
}
