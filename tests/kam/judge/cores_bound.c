/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "tests/kam/cpu/chip.h"
#include "tests/kam/judge/cores_bound.h"

#define LOAD_BYTES 16
#define TURN       35.0 /* instructions in a turn of the read loop, which has TURN_LOADS loads */
#define TURN_LOADS 32.0
#define RESOLVED   2 /* cycles: compare, branch */

#define NEARLY_FULL 0.9 /* a channel that reads and writes in turn; seen: 0.85 to 1 */

double hop_cycles(const struct cpu *c, unsigned a, unsigned b)
{
	unsigned da = cpu_domain_of(c, a), db = cpu_domain_of(c, b);
	double transfer = (double)c->transfer;

	if (cpu_node_of_domain(c, da) != cpu_node_of_domain(c, db))
		transfer = (double)c->transfer_node;
	else if (da != db)
		transfer = (double)c->transfer_far;
	return 2 * transfer + (double)c->penalty + RESOLVED;
}

double node_latency(const struct cpu *c, unsigned cpu_node, unsigned memory_node)
{
	return (double)c->memory_latency +
		(cpu_node == memory_node ? 0 : (double)c->remote_latency);
}

/* Lines of memory that a core may wait for at once. */
static double under_way(const struct cpu *c)
{
	double first = (double)c->level[0].buffers, second = (double)c->level[1].buffers;
	double window = (double)c->window * LOAD_BYTES * TURN_LOADS / TURN / (double)c->line;

	return fmin(window, second > 0 ? fmin(first, second) : first);
}

/* What one core can read where nothing else is in its way. */
static double own_read(const struct cpu *c, unsigned cpu_node, unsigned memory_node)
{
	return (double)c->line * under_way(c) / node_latency(c, cpu_node, memory_node);
}

/* What memory's channel lets through, and the link to another node. */
static double path_read(const struct cpu *c, unsigned cpu_node, unsigned memory_node)
{
	double gap = (double)c->memory_gap;

	if (cpu_node != memory_node)
		gap = fmax(gap, (double)c->link_gap);
	return (double)c->line / gap;
}

double node_read(const struct cpu *c, unsigned cpu_node, unsigned memory_node)
{
	return fmin(path_read(c, cpu_node, memory_node), own_read(c, cpu_node, memory_node));
}

/* How many of the first n cores are on a node. */
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

/* Bytes a cycle that a node's channel lets through: what is written passes it twice. */
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
	double full = fmax(alone, NEARLY_FULL * channel(c, reads, writes)), sum = 0;
	unsigned node;

	for (node = 0; node < c->nodes; node++)
		sum += fmin(cores_of_node(c, n, node) * alone, full);
	return sum;
}

double loaded_latency(const struct cpu *c, unsigned n)
{
	unsigned readers = cores_of_node(c, n, 0) - 1;

	return fmax((double)c->memory_latency,
		(1 + readers * under_way(c)) * (double)c->memory_gap);
}
