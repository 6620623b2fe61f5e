/* SPDX-License-Identifier: MIT */
/* Questions about a machine that several parts of the judge ask. */
#ifndef TESTS_KAM_JUDGE_CONDITIONS_H
#define TESTS_KAM_JUDGE_CONDITIONS_H

#include <math.h>
#include <stdbool.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/cpu.h"

/*
 * docs/method.md: factor between levels of a curve, below it is flat; the same over pages, with an
 * offset.
 */
#define CACHE_RISE   1.5
#define ENTRY_RISE   1.4
#define ENTRY_OFFSET 3

/* Returns true if a prefetcher brings lines into a cache that no access asked for. */
static inline bool prefetches(const struct cpu *c)
{
	return c->stream != STREAM_OFF || c->adjacent || c->next_page || c->ip_stride;
}

/* Returns true if nothing takes time away from the machine, and its clock has one rate. */
static inline bool undisturbed(const struct cpu *c)
{
	return cpu_quiet(c) && !c->period_us;
}

/* Returns a step of the counter, by which a stamp may be off, in core cycles. */
static inline double step_cycles(const struct cpu *c)
{
	return (double)c->tsc_step * (double)c->hz / (double)c->tsc_hz;
}

/*
 * Returns the mean cycles of a load from memory, of many that wait for one another. The first one
 * after a refresh began starts anywhere in the time of a load, and waits until the refresh is over:
 * all of such a period is lost but half a load, or, where a refresh is shorter than a load, its
 * square over two.
 */
static inline double memory_cycles(const struct cpu *c)
{
	double load = (double)c->memory_latency, away = (double)c->refresh;
	double lost = away > load ? away - load / 2 : away * away / 2 / load;

	return c->refresh_every ? load / (1 - lost / (double)c->refresh_every) : load;
}

/* Bytes of a row in level "memory", as engine/levels.c chooses them from whole large pages. */
static inline double memory_row_bytes(const struct cpu *c)
{
	double last = (double)c->level[cpu_levels(c) - 1].bytes, bytes = fmax(256 << 20, 8 * last);
	double arena = (double)(c->memory_bytes / (2 << 20) * (2 << 20));

	while (bytes > arena / 8 * 7)
		bytes /= 2;
	return bytes;
}

static inline bool far_beyond_caches(const struct cpu *c, double bytes)
{
	return bytes >= 8 * (double)c->level[cpu_levels(c) - 1].bytes;
}

/* Bytes between nodes that no prefetcher brings together. */
static inline double node_bytes(const struct cpu *c)
{
	return fmax(64, (double)c->line * (c->adjacent ? 2 : 1));
}

/* Cycles in which n instructions enter that end with a taken branch. */
static inline double front_end_cycles(const struct cpu *c, double n)
{
	return ceil(n / (double)c->width);
}

/* Returns true if others bring lines to this level, so that this core has a share of it. */
static inline bool is_shared(const struct cpu *c, unsigned level)
{
	return c->others && level + 1 == cpu_levels(c);
}

/*
 * Returns true if the edge of a level is no cliff: in it or a level above, replacement is not LRU,
 * or a hash spreads the lines over the sets; or it is a victim cache, or shared with others.
 */
static inline bool soft_edge(const struct cpu *c, unsigned level)
{
	unsigned i;

	for (i = 0; i <= level; i++)
		if (c->level[i].policy != POLICY_LRU || c->level[i].hash != HASH_NONE)
			return true;
	return c->level[level].victim || is_shared(c, level);
}

/*
 * Returns the bytes that fit a level; a victim cache holds lines that the level above gave up, so
 * both count. Of a level with others half of the lines stay at so many bytes: between two uses of a
 * line come all others of these bytes, and for each of them what others bring.
 */
static inline double level_holds(const struct cpu *c, unsigned level)
{
	double above = level && c->level[level].victim ? (double)c->level[level - 1].bytes : 0;

	double share = is_shared(c, level) ? 100 / (100 + (double)c->others) : 1;

	return ((double)c->level[level].bytes + above) * share;
}

/* Returns the entries of the second TLB for pages of 2 MiB. */
static inline uint64_t stlb_2m_entries(const struct cpu *c)
{
	return c->stlb_2m ? c->stlb_2m : c->stlb;
}

/* Returns the entries of the first TLB for pages of 2 MiB. */
static inline uint64_t dtlb_2m_entries(const struct cpu *c)
{
	return c->dtlb_shared ? c->dtlb_4k : c->dtlb_2m;
}

#endif
