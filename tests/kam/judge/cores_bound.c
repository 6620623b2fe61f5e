/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "tests/kam/cpu/chip.h"
#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/cores_bound.h"
#include "tests/kam/judge/stream_oracle.h"
#include "tests/kam/judge/tolerances.h"

#define LOAD_BYTES 16
#define TURN       35.0 /* instructions in a turn of the read loop, which has TURN_LOADS loads */
#define TURN_LOADS 32.0
#define LINES      4096 /* bytes, a multiple of what a turn of any loop moves */
#define AHEAD_MOST 16   /* lines that a prefetcher is ahead of the loads */
#define RESOLVED   2    /* cycles: compare, branch */

double transfer_cycles(const struct cpu *c, unsigned a, unsigned b)
{
	unsigned da = cpu_domain_of(c, a), db = cpu_domain_of(c, b);

	if (cpu_node_of_domain(c, da) != cpu_node_of_domain(c, db))
		return (double)c->transfer_node;
	return (double)(da != db ? c->transfer_far : c->transfer);
}

double hop_cycles(const struct cpu *c, unsigned a, unsigned b)
{
	return 2 * transfer_cycles(c, a, b) + (double)c->penalty + RESOLVED;
}

struct cpu cores_seen_from(const struct cpu *chip, unsigned cpu_node, unsigned memory_node)
{
	struct cpu c = *chip;

	if (cpu_node == memory_node)
		return c;
	c.memory_latency += c.remote_latency;
	if (c.memory_gap < c.link_gap)
		c.memory_gap = c.link_gap;
	return c;
}

double node_latency(const struct cpu *c, unsigned cpu_node, unsigned memory_node)
{
	return (double)cores_seen_from(c, cpu_node, memory_node).memory_latency;
}

/* Lines whose loads the window holds. */
static double in_window(const struct cpu *c)
{
	return (double)c->window * LOAD_BYTES * TURN_LOADS / TURN / (double)c->line;
}

/* Lines of memory that a core may wait for at once. */
static double under_way(const struct cpu *c)
{
	double first = (double)c->level[0].buffers, second = (double)c->level[1].buffers;

	return fmin(in_window(c), second > 0 ? fmin(first, second) : first);
}

uint64_t cores_far_bytes(const struct cpu *c)
{
	return CORES_FAR * c->level[cpu_levels(c) - 1].bytes / LINES * LINES;
}

/*
 * Returns the rate at which one core reads if nothing else limits it: with prefetchers there is no
 * closed form of how many lines are under way.
 */
static double own_read(const struct cpu *c, unsigned cpu_node, unsigned memory_node)
{
	struct cpu first = *c;

	first.arena_node = cpu_node != memory_node;
	if (prefetches(c))
		return stream_oracle(&first, STREAM_READ, cores_far_bytes(c), LOAD_BYTES).low;
	return (double)c->line * under_way(c) / node_latency(c, cpu_node, memory_node);
}

/* Returns the rate that memory's channel and the link to another node let through. */
static double path_read(const struct cpu *c, unsigned cpu_node, unsigned memory_node)
{
	return (double)c->line / (double)cores_seen_from(c, cpu_node, memory_node).memory_gap;
}

double node_read(const struct cpu *c, unsigned cpu_node, unsigned memory_node)
{
	return fmin(path_read(c, cpu_node, memory_node), own_read(c, cpu_node, memory_node));
}

/* Returns how many of the first n cores are on a node. */
static unsigned cores_of_node(const struct cpu *c, unsigned n, unsigned node)
{
	unsigned i, found = 0;

	for (i = 0; i < n; i++)
		found += cpu_node_of_domain(c, cpu_domain_of(c, i)) == node;
	return found;
}

double node_read_all(const struct cpu *c, unsigned cpu_node, unsigned memory_node)
{
	unsigned cores = cores_of_node(c, (unsigned)c->cpus, cpu_node);

	return fmin(path_read(c, cpu_node, memory_node),
		cores * own_read(c, cpu_node, memory_node));
}

/* Returns the bytes a cycle that a node's channel lets through: written lines pass it twice. */
static double channel(const struct cpu *c, double reads, double writes)
{
	return (reads + writes) / (reads + 2 * writes) * (double)c->line / (double)c->memory_gap;
}

double cores_bound(const struct cpu *c, unsigned n, double reads, double writes)
{
	double sum = 0;
	unsigned node;

	for (node = 0; node < c->nodes; node++)
		sum += fmin(channel(c, reads, writes),
			cores_of_node(c, n, node) * node_read(c, node, node));
	return sum;
}

double cores_least(const struct cpu *c, unsigned n, double reads, double writes, double alone)
{
	double full = fmax(alone, less(channel(c, reads, writes), CHANNEL_FULL)), sum = 0;
	unsigned node;

	for (node = 0; node < c->nodes; node++)
		sum += fmin(cores_of_node(c, n, node) * alone, full);
	return sum;
}

double loaded_latency(const struct cpu *c, unsigned n, bool ahead)
{
	unsigned readers = cores_of_node(c, n, 0) - 1;
	double lines = ahead && prefetches(c) ? in_window(c) + AHEAD_MOST : under_way(c);

	return fmax((double)c->memory_latency, (1 + readers * lines) * (double)c->memory_gap);
}
