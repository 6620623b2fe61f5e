/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a simulated machine, as a .ini in cpus/ sets them. Every parameter has a
 * default; the table in cpu.c, printed by `build/kam --format`, is the documentation of the format.
 */
#ifndef TESTS_KAM_CPU_CPU_H
#define TESTS_KAM_CPU_CPU_H

#include <stdint.h>

enum predictor { PREDICTOR_NEVER, PREDICTOR_BIMODAL, PREDICTOR_HISTORY, PREDICTOR_PERFECT };
enum prefetcher { STREAM_OFF, STREAM_ON, STREAM_AGGRESSIVE };

#define CPU_LEVELS  3
#define CPU_EXPECTS 48

struct cpu_cache {
	uint64_t bytes, ways, latency, policy;
	uint64_t buffers;    /* misses in flight; 0: not limited */
	uint64_t fill_bytes; /* bytes per cycle that this level delivers to the one above */
};

/* What CPUID says, where that is not the truth; UINT64_MAX: the truth. */
struct cpu_claims {
	uint64_t l1_bytes, l1_ways, l2_bytes, l2_ways, l3_bytes, l3_ways, line;
};

struct cpu {
	char name[64];
	/* core */
	uint64_t hz, width, window, loads, stores, alus, store_buffer;
	uint64_t multiply, divide, fp_add, fp_multiply, forward, indexed, fence;
	/* caches */
	uint64_t line;
	struct cpu_cache level[CPU_LEVELS]; /* L3 with 0 bytes: none */
	/* memory */
	uint64_t memory_latency, memory_gap, memory_bytes;
	uint64_t reach; /* bytes where pages may be touched here and there; 0: memory_bytes */
	/* address translation */
	uint64_t dtlb_4k, dtlb_2m, dtlb_1g, dtlb_ways, stlb, stlb_ways, stlb_1g;
	uint64_t stlb_latency, walk, walkers, huge;
	/* branches */
	uint64_t predictor, capacity, penalty, targets, target_miss, returns;
	/* prefetcher */
	uint64_t stream, adjacent;
	/* time stamp counter */
	uint64_t tsc_hz, tsc_step, tsc_cycles, cpuid_cycles, rdtscp;
	/* disturbances */
	uint64_t jitter_every, jitter_ticks, spike_every, spike_ticks, seed;
	/* CPUID */
	char vendor[13], brand[49];
	uint64_t family;
	struct cpu_claims claims;
	/* what must come back, where it is not the parameter itself */
	unsigned expects;
	struct cpu_expect {
		char name[40], text[200];
	} expect[CPU_EXPECTS];
};

/* Sets every parameter to its default. */
void cpu_init(struct cpu *);
/* Reads a .ini; whatever it does not know ends the program with file and line. */
void cpu_read(struct cpu *, const char *path);
/* Prints every section, key, default and meaning. */
void cpu_format(void);
/* Whether the machine has an L3. */
static inline unsigned cpu_levels(const struct cpu *c)
{
	return c->level[2].bytes ? 3 : 2;
}

#endif
