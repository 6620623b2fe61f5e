/* SPDX-License-Identifier: MIT */
/* Rows of `latency` beside the main curve, and whether there is a stream prefetcher. */
#include <math.h>
#include <string.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/walk_cost.h"

/* How a load is addressed; the index is multiplied by the size of an element by a shift. */
enum { POINTER = 0, INDEX = 1, SHIFTED = 2, PADDED = 4 /* a line for each element */ };

/* An addressing mode costs nothing but its own time on top of the load. */
static double addressing(const struct cpu *c, unsigned mode)
{
	return (mode & INDEX ? (double)c->indexed : 0) + (mode & SHIFTED ? 1 : 0);
}

static struct wanted near(const struct judged *j, json_t *row, unsigned mode)
{
	return within((double)j->cpu->level[0].latency + addressing(j->cpu, mode), LATENCY);
}

/*
 * At a canonical level, the latency of that level: LRU holds all of it or nothing. Where something
 * else replaces above, or a hash spreads the lines, a part may hit there.
 */
static struct wanted at_level(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	int level = level_of(c, row), i;
	double cycles, least, bytes = param_of(row, "bytes");

	if (level < 0 || param_of(row, "page_bytes") < 2 << 20)
		return anything();
	if (level == (int)cpu_levels(c) ? c->row_bytes || !undisturbed(c) : c->level[level].victim)
		return anything();
	cycles = least = level_latency(c, (unsigned)level);
	for (i = level - 1; i >= 0; i--)
		if (c->level[i].policy != POLICY_LRU || c->level[i].hash != HASH_NONE)
			least = level_latency(c, (unsigned)i);
	if (least < cycles && level < (int)cpu_levels(c) &&
		(c->level[level].hash != HASH_NONE || c->level[level].policy == POLICY_RANDOM))
		return anything(); /* nor does all of it fit, or stay */
	bool hashed = level < (int)cpu_levels(c) && c->level[level].hash != HASH_NONE;

	return between(less(least, LATENCY),
		more(cycles + translation_cycles(c, bytes), hashed ? HASHED : LATENCY));
}

/* Without prefetchers, and with a line for each node, the order changes nothing. */
static struct wanted in_order(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;

	if (prefetches(c) || c->line > 64)
		return anything();
	return at_level(j, row, of);
}

/*
 * Groot Koerkamp's methods: within L1 the load and its index; where a line holds one element, in
 * memory the same on top of its latency. A cyclic walk through LRU finds nothing of what is larger.
 */
static struct wanted method(const struct judged *j, json_t *row, unsigned mode)
{
	const struct cpu *c = j->cpu;
	unsigned last = cpu_levels(c), i;
	double bytes = param_of(row, "bytes"), cycles = memory_cycles(c) + addressing(c, mode);

	if (c->predictor == PREDICTOR_NEVER || !undisturbed(c))
		return anything();
	if (bytes <= (double)c->level[0].bytes / 2)
		return near(j, row, mode);
	for (i = 0; i < last; i++)
		if (c->level[i].policy != POLICY_LRU || c->level[i].hash != HASH_NONE)
			return anything();
	if (!(mode & PADDED) || param_of(row, "page_bytes") < 2 << 20 || c->line > 64 ||
		c->row_bytes || prefetches(c) || bytes < 4 * (double)c->level[last - 1].bytes)
		return anything();
	return between(less(cycles, LATENCY), more(cycles + translation_cycles(c, bytes), LATENCY));
}

/* Cycles of refreshes that a load of so short a sample bears: of as many as there may be in it. */
static double refreshed(const struct cpu *c, double loads)
{
	double most = c->refresh_every
		? ceil(loads * (double)c->memory_latency / (double)c->refresh_every)
		: 0;

	return most * (double)c->refresh / loads;
}

/* A word in a flushed line comes from memory, where a row may be open; one beside it is a hit. */
static struct wanted flush_beside(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double memory = (double)c->memory_latency, hit = level_latency(c, 1);
	double open = c->row_bytes ? (double)c->row_hit : 0;
	double away = refreshed(c, number_of(row, "ops") / number_of(row, "samples"));

	if (!undisturbed(c))
		return anything();
	if (param_of(row, "apart_bytes") < (double)c->line)
		return between(less(memory - open, FLUSHED), more(memory + away, FLUSHED));
	return between(0, more(hit, BESIDE_A_HIT));
}

/*
 * A chase from line to line pays memory's latency once for what comes together, a line or a pair;
 * a stream that is prefetched costs a small part of that.
 */
static void prefetcher(const struct judged *j)
{
	double memory = (double)j->cpu->memory_latency, node = number_of(j->run->run, "node_bytes");
	double apart;
	bool stream = j->cpu->stream != STREAM_OFF, seen;
	json_t *row = row_with(j, "latency", "sequential", NULL, 0, "memory");

	if (!row || param_of(row, "page_bytes") < 2 << 20 || j->cpu->line < 64 ||
		j->cpu->next_page || j->cpu->ip_stride)
		return; /* below 64 a chase from node to node leaves out every other line */
	apart = fmin(1, param_of(row, "stride_bytes") / node);
	seen = number_of(row, "cycles") < less(memory, STREAM_SEEN) * apart;
	tally_value(j->tally, "stream_prefetcher", stream, seen, "yes or no",
		seen == stream ? NULL : "a chase in order shows the opposite");
}

/* The distance of nodes that no prefetcher brings together. */
static void node(const struct judged *j)
{
	double truth = fmax(64, (double)j->cpu->line * (j->cpu->adjacent ? 2 : 1));
	double said = number_of(j->run->run, "node_bytes");

	tally_value(j->tally, "node_bytes", truth, said, "exact",
		said == truth ? NULL : "out of tolerance");
}

void judge_latency_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		ROWS("latency", "pointer-padded", CYCLES, at_level),
		ROWS("latency", "pointer", CYCLES, near, POINTER, .level = "l1"),
		ROWS("latency", "index", CYCLES, near, INDEX, .level = "l1"),
		ROWS("latency", "index-checked", CYCLES, near, INDEX, .level = "l1"),
		ROWS("latency", "index-padded", CYCLES, near, INDEX | SHIFTED, .level = "l1"),
		ROWS("latency", "method-checked", CYCLES, method, INDEX),
		ROWS("latency", "method-unchecked", CYCLES, method, INDEX),
		ROWS("latency", "method-padded", CYCLES, method, INDEX | SHIFTED | PADDED),
		ROWS("latency", "method-raw", CYCLES, method, POINTER),
		ROWS("latency", "method-raw-padded", CYCLES, method, PADDED),
		ROWS("latency", "sequential", CYCLES, in_order),
		ROWS("latency", "stride", CYCLES, in_order),
		ROWS("stride", "flush-beside", CYCLES, flush_beside),
	};

	node(j);
	prefetcher(j);
	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
