/* SPDX-License-Identifier: MIT */
/*
 * The bandwidth that the loops of `bandwidth` reach out of L1, and how many misses go on at once.
 */
#include <math.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/turn_padding.h"

#define UNITS 16 /* accesses of a turn: probes/loops/stream.inc */

/* A kind of stream: a turn of its loop, and the accesses of each line. */
static const struct stream_kind {
	const char *names[CPU_LEVELS + 1]; /* L1 to L4, memory */
	double instructions;               /* in a turn, without what fills it up */
	double loads, stores;              /* likewise */
	double blocks;                     /* of the buffer, where a pass walks one */
	double counting;   /* instructions of a pass for a second cursor, and to count bytes */
	loop_fn *loops[3]; /* of 4, 8 and 16 bytes */
} kinds[] = {
	{ { "read_bytes_per_cycle_l1", "read_bytes_per_cycle_l2", "read_bytes_per_cycle_l3",
		  "read_bytes_per_cycle_l4", "read_bytes_per_cycle_memory" },
		19, UNITS, 0, 1, 0, { loop_read_32, loop_read_64, loop_read_128 } },
	{ { "write_bytes_per_cycle_l1", "write_bytes_per_cycle_l2", "write_bytes_per_cycle_l3",
		  "write_bytes_per_cycle_l4", "write_bytes_per_cycle_memory" },
		19, 0, UNITS, 1, 3, { loop_write_32, loop_write_64, loop_write_128 } },
	{ { "copy_bytes_per_cycle_l1", "copy_bytes_per_cycle_l2", "copy_bytes_per_cycle_l3",
		  "copy_bytes_per_cycle_l4", "copy_bytes_per_cycle_memory" },
		36, UNITS, UNITS, 2, 6, { loop_copy_32, loop_copy_64, loop_copy_128 } },
};

static double pipe_cycles(const struct cpu *c, unsigned pipe)
{
	if (pipe + 1 == cpu_levels(c))
		return (double)c->memory_gap;
	return ceil((double)c->line / (double)c->level[pipe + 1].fill_bytes);
}

/* Cycles for which a miss holds buffers of L2: its pair's other line finds the row open. */
static double held_of_second(const struct cpu *c)
{
	double latency = (double)c->memory_latency, open = c->row_bytes ? (double)c->row_hit : 0;

	return c->adjacent ? latency + latency - open : latency;
}

double parallel_misses_bound(const struct cpu *c, const struct translated *t)
{
	double latency = (double)c->memory_latency, second = (double)c->level[1].buffers;
	double lines = c->adjacent ? 2 : 1; /* with each miss, as far as L2 */
	double most = fmin((double)c->level[0].buffers / (latency + (t ? t->held : 0)),
		1 / pipe_cycles(c, 0));
	unsigned i;

	if (second > 0)
		most = fmin(most, second / held_of_second(c));
	for (i = 1; i < cpu_levels(c); i++)
		most = fmin(most, 1 / (lines * pipe_cycles(c, i)));
	if (t && t->walked > 0)
		most = fmin(most, (double)c->walkers / (t->walked * t->walk));
	return most * (latency + (t ? t->cycles : 0));
}

/* Cycles in which n instructions enter that end with a taken branch. */
static double group(const struct cpu *c, double n)
{
	return ceil(n / (double)c->width);
}

#define BEGINS 2 /* cycles after it entered: the work of a turn */

/*
 * Instructions before the first block of a pass: mov, test, jz, and the padding up to the block's
 * 64 bytes.
 */
#define TO_THE_BLOCK 8

/*
 * Out of a part of L1, over and over: the turns of a pass, and between two passes eight branches,
 * six of them taken (STREAM_PASSES). A store a cycle goes to L1, two cycles after it entered.
 */
double bandwidth_bound(const struct cpu *c, enum stream_op kind, double bytes, double width)
{
	const struct stream_kind *k = &kinds[kind];
	double turns = fmax(1, floor(bytes / k->blocks / (UNITS * width)));
	bool forgets = c->predictor != PREDICTOR_PERFECT && turns > 8; /* that the turns end */
	double between = 2 * group(c, 4) + 5 * group(c, 2) + group(c, 3 + k->counting) +
		group(c, TO_THE_BLOCK) + (k->stores > 0 ? 2 : 0) +
		(forgets ? (double)c->penalty + 2 : 0);
	double instructions = k->instructions + turn_padding(bandwidth_loop(kind, (unsigned)width));
	double front = group(c, instructions), load = k->loads / (double)c->loads;
	double back = fmax(load, k->stores / (double)c->limits.commits);
	/*
	 * Instructions that have entered and are not done go on between two passes, as many as the
	 * front end gains in a pass.
	 */
	double held = back > load ? (double)c->store_buffer
				  : (double)c->window / instructions * load -
			(double)c->level[0].latency; /* these have started */
	double ahead = fmin(held, turns * (back - front) + BEGINS);
	double rest = back > front ? fmax(0, between - fmax(0, ahead)) : between;

	return width * turns * (k->loads + k->stores) / (turns * fmax(front, back) + rest);
}

loop_fn *bandwidth_loop(enum stream_op kind, unsigned width)
{
	return kinds[kind].loops[width == 4 ? 0 : width == 8 ? 1 : 2];
}

const char *bandwidth_name(enum stream_op kind, unsigned level)
{
	return kinds[kind].names[level];
}
