/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/kam/cache.h"
#include "tests/kam/declare.h"
#include "tests/kam/die.h"

struct list {
	struct declared *out;
	size_t n;
	double grid;
};

static struct declared *add(struct list *l, const char *name, double value, double low,
	double high, const char *tolerance)
{
	struct declared *d = &l->out[l->n++];

	if (l->n > DECLARED)
		die("more than %d declarations", DECLARED);
	*d = (struct declared){ .name = name, .value = value, .low = low, .high = high,
		.claimed = NAN, .tolerance = tolerance };
	return d;
}

/* Found by a sweep: at most one size of it away. */
static struct declared *capacity(struct list *l, const char *name, double value)
{
	double grid = l->grid * 1.01; /* sizes are rounded to lines */

	struct declared *d = add(l, name, value, value / grid, value * grid, "a grid step");

	d->bracketed = true;
	return d;
}

static void percent(struct list *l, const char *name, double value, double p, const char *text)
{
	add(l, name, value, value * (1 - p / 100), value * (1 + p / 100), text);
}

static double claim(uint64_t said, uint64_t truth)
{
	uint64_t value = said == UINT64_MAX ? truth : said;

	return value ? (double)value : NAN;
}

static void caches(struct list *l, const struct cpu *c)
{
	static const char *const bytes[] = { "l1d_bytes", "l2_bytes", "l3_bytes" };
	static const char *const cycles[] = { "l1d_latency_cycles", "l2_latency_cycles",
		"l3_latency_cycles" };
	const uint64_t said[] = { c->claims.l1_bytes, c->claims.l2_bytes, c->claims.l3_bytes };
	struct declared *d;
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		d = capacity(l, bytes[i], (double)c->level[i].bytes);
		d->claimed = claim(said[i], c->level[i].bytes);
		if (c->level[i].policy == POLICY_LRU) /* a cliff: between two sizes */
			d->widest = l->grid * 1.05;
		percent(l, cycles[i], (double)c->level[i].latency, 1, "1 %");
	}
	percent(l, "memory_latency_cycles", (double)c->memory_latency, 1, "1 %");
}

/*
 * Not a summary line but the row `div3-lfence`: so short that the cost of the stamps, were it not
 * subtracted, would show. Off by a step of the counter at each end.
 */
static void divisions(struct list *l, const struct cpu *c)
{
	double cycles = 3 * (double)c->divide;
	double step = (double)c->tsc_step * (double)c->hz / (double)c->tsc_hz;

	add(l, "three_divisions", cycles, cycles - 3 - 2 * step, cycles + 3 + 2 * step,
		"3 cycles, 2 steps");
}

static void core(struct list *l, const struct cpu *c)
{
	double p = (double)c->penalty;

	divisions(l, c);
	percent(l, "core_tsc_ratio", (double)c->hz / (double)c->tsc_hz, 0.2, "0.2 %");
	/* Bits in a register: the branch resolves a cycle or two after the test of its bit. */
	add(l, "mispredict_cycles", p, p + 0.7, p + 2.7, "P + 1.7, 1 cycle");
	capacity(l, "predictor_branches", (double)c->capacity);
	capacity(l, "branch_targets", (double)c->targets)->slack = 4; /* call, return, loop */
	/* Depths are tried in steps of 4 from there on. */
	add(l, "return_stack", (double)c->returns, (double)c->returns - 4, (double)c->returns,
		"a grid step");
}

static void lines(struct list *l, const struct cpu *c)
{
	double line = (double)c->line;
	double window = (double)c->window, ways = (double)c->level[0].ways;

	add(l, "line_bytes", line, line, line, "exact")->claimed = claim(c->claims.line, c->line);
	add(l, "l1d_ways", ways, ways, ways, "exact")->claimed =
		claim(c->claims.l1_ways, c->level[0].ways);
	/* The smoke profile tries distances 64 apart; 2: what the chain itself takes. */
	add(l, "window_instructions", window, window - 66, window + 2, "a grid step");
	add(l, "parallel_misses", (double)c->level[0].buffers, (double)c->level[0].buffers - 0.49,
		(double)c->level[0].buffers + 0.49, "exact");
	/* The row with one chain: what the speed-up is relative to. */
	percent(l, "one_chain_cycles", (double)c->memory_latency, 1.5, "1.5 %");
}

/* Two-mebibyte pages are judged where the arena holds twice as many as the first level. */
static void translation(struct list *l, const struct cpu *c)
{
	double hit = (double)c->stlb_latency, walk = (double)c->walk;

	capacity(l, "dtlb_4k_entries", (double)c->dtlb_4k);
	capacity(l, "stlb_entries", (double)c->stlb);
	add(l, "stlb_hit_cycles", hit, hit - 1, hit + 1, "1 cycle");
	add(l, "walk_cycles", walk, walk - 1, walk + 1, "1 cycle");
	if (c->memory_bytes >= (2 * c->dtlb_2m + 4) << 21)
		capacity(l, "dtlb_2m_entries", (double)c->dtlb_2m);
}

/* Bytes per cycle through a pipe, with so many lines in flight, and so many loads. */
static double rate(const struct cpu *c, double pipe_cycles, double latency)
{
	double line = (double)c->line, by_pipe = line / pipe_cycles;
	double by_buffers = line * (double)c->level[0].buffers / latency;
	double by_loads = 16 * (double)c->loads;

	return fmin(by_loads, fmin(by_pipe, by_buffers));
}

/*
 * Reading with 16 bytes at a time, the widest that the machines have. Without a predictor every
 * turn of a loop waits: what comes back then depends on the loop. Without LRU a walk through more
 * than a level holds still finds some of it there.
 */
static void bandwidth(struct list *l, const struct cpu *c)
{
	static const char *const names[] = { "read_bytes_per_cycle_l1", "read_bytes_per_cycle_l2",
		"read_bytes_per_cycle_l3" };
	unsigned i;

	if (c->predictor == PREDICTOR_NEVER)
		return;
	percent(l, names[0], 16 * (double)c->loads, 3, "3 %");
	if (c->stream != STREAM_OFF || c->adjacent)
		return;
	for (i = 1; i < cpu_levels(c) && c->level[i - 1].policy == POLICY_LRU; i++)
		percent(l, names[i], rate(c, ceil((double)c->line / (double)c->level[i].fill_bytes),
			(double)c->level[i].latency), 3, "3 %");
	percent(l, "read_bytes_per_cycle_memory", rate(c, (double)c->memory_gap,
		(double)c->memory_latency), 3, "3 %");
}

/* Machines say themselves what cannot be recovered from them: "name = not resolved: reason". */
static void exceptions(struct list *l, const struct cpu *c)
{
	static const char words[] = "not resolved: ";
	size_t i, n;

	for (i = 0; i < c->expects; i++) {
		for (n = 0; n < l->n && strcmp(l->out[n].name, c->expect[i].name); n++)
			;
		if (n == l->n)
			die("expect.%s: nothing of that name is judged", c->expect[i].name);
		if (strncmp(c->expect[i].text, words, strlen(words)))
			die("expect.%s: must be '%s' and the reason", c->expect[i].name, words);
		l->out[n].unresolved = c->expect[i].text + strlen(words);
	}
}

size_t declare(const struct cpu *c, double grid, struct declared out[DECLARED])
{
	struct list l = { out, 0, grid };

	caches(&l, c);
	lines(&l, c);
	translation(&l, c);
	bandwidth(&l, c);
	core(&l, c);
	exceptions(&l, c);
	return l.n;
}
