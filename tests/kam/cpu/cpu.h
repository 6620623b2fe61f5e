/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a simulated machine, as a .ini in cpus/ sets them. Every parameter has a
 * default; the table in parameters.inc, printed by `build/kam --format`, documents the format.
 */
#ifndef TESTS_KAM_CPU_CPU_H
#define TESTS_KAM_CPU_CPU_H

#include <stdint.h>
#include <string.h>

enum predictor {
	PREDICTOR_NEVER,
	PREDICTOR_BIMODAL,
	PREDICTOR_HISTORY,
	PREDICTOR_TAGGED,
	PREDICTOR_PERFECT
};
enum beyond { BEYOND_CIRCULAR, BEYOND_WRONG, BEYOND_INDIRECT };
enum counters { COUNTERS_NONE, COUNTERS_ALL, COUNTERS_APERF };
enum sibling { SIBLING_NONE, SIBLING_HALTED, SIBLING_PAUSE };
enum prefetcher { STREAM_OFF, STREAM_ON, STREAM_AGGRESSIVE };

#define CPU_LEVELS      4
#define CPU_RANDOM      1 /* policy: POLICY_RANDOM of cache.h */
#define BANKS_MOST      8
#define DRAM_BANKS_MOST 1024
#define CORES_MOST      64
#define NODES_MOST      4
#define CPU_EXPECTS     48
#define SKEW_BASE       (1ull << 40) /* where counters begin, if they are not alike */

struct cpu_cache {
	uint64_t bytes, ways, latency, policy;
	uint64_t buffers;    /* misses in flight; 0: not limited */
	uint64_t fill_bytes; /* bytes per cycle that this level delivers to the one above */
	uint64_t hash;       /* enum hash: how a line chooses its set */
	uint64_t slices;
	uint64_t victim; /* holds what the level above gave up; the last level only */
};

/* False claims that CPUID makes; UINT64_MAX: CPUID tells the truth. */
struct cpu_claims {
	uint64_t l1_bytes, l1_ways, l2_bytes, l2_ways, l3_bytes, l3_ways, l4_bytes, l4_ways, line;
};

struct cpu {
	char name[64];
	/* core */
	uint64_t hz, width, window, loads, stores, alus, store_buffer;
	uint64_t multiply, multipliers, divide, fp_add, fp_multiply, forward, partial, alias,
		indexed, fence;
	uint64_t fold, moves;
	/* store to load, in tenths of a cycle, and accesses across lines and pages */
	struct {
		uint64_t whole, part, wide, line, page, renames, renamed, failed;
	} forwarding;
	struct {
		uint64_t load_line, load_page, store_line, store_page;
	} split;
	uint64_t threads, sibling;
	/* caches */
	uint64_t line;
	uint64_t banks;                     /* of the miss buffers of L1 */
	struct cpu_cache level[CPU_LEVELS]; /* L3 or L4 with 0 bytes: none */
	/* memory */
	uint64_t memory_latency, memory_gap, memory_nt_gap, memory_bytes, memory_reach;
	uint64_t row_bytes, row_hit, row_banks, refresh_every, refresh;
	/* address translation */
	uint64_t dtlb_4k, dtlb_2m, dtlb_1g, dtlb_ways, stlb, stlb_ways, stlb_1g;
	uint64_t stlb_latency, walk, walkers, huge;
	uint64_t dtlb_shared, stlb_2m, coalesce, upper, walk_upper, walk_loads;
	/* what a walk reads, and from which paging-structure caches; translations of code */
	struct {
		uint64_t read, pde, pdpte, pml4e;
	} walks;
	struct {
		uint64_t tables, large;
	} nested; /* translation of a guest's addresses by its host */
	struct {
		uint64_t entries, miss;
	} itlb;
	/* branches */
	uint64_t predictor, capacity, penalty, targets, target_miss, returns;
	uint64_t targets_2, target_2, target_near;
	/* indirect jumps, and returns beyond the depth of the return stack */
	struct {
		uint64_t entries, history, more, beyond;
	} indirect;
	/* prefetchers */
	uint64_t stream, streams, adjacent, next_page, ip_stride, ip_sure, ip_ahead, ip_pages;
	/* several cores, last caches and nodes of memory */
	uint64_t cpus, l3_domains, nodes, transfer, transfer_far, transfer_node, home, home_cost;
	uint64_t remote_latency, link_gap, arena_node, part_bytes;
	/* another core that has a part of caches and TLBs for a part of the time */
	uint64_t period_us, period_share, taken_l1, taken_l2, taken_l3, taken_dtlb, taken_stlb;
	uint64_t others; /* lines that they bring to the last cache, for 100 accesses of ours */
	/* core clock that rises */
	uint64_t hz_start, ramp_us, ramp_steps, idle_us;
	/* time stamp counter */
	uint64_t tsc_hz, tsc_step, tsc_jitter, tsc_cycles, cpuid_cycles, rdtscp;
	/* by core, as cpu_of_core reads them: ticks ahead, how much faster, MSR 3Bh */
	struct {
		char ticks[128], ppb[128], adjust[256];
	} skew;
	/* what privileged instructions cost, in core cycles */
	struct {
		uint64_t cr3, invlpg, rdmsr, wrmsr, sti, cli, swapgs, verw, port_in, port_out;
		uint64_t lgdt;
		uint64_t interrupt, iret, syscall, sysret;
		uint64_t xsave, xsaveopt, xsavec, xrstor; /* xsave 0: there are none of them */
		uint64_t wbinvd, wbinvd_line;
	} privileged;
	/* what locked operations cost in a line of L1, and an MFENCE; split: across a line */
	struct {
		uint64_t lock_add, lock_xadd, cas, xchg, mfence, split;
	} atomics;
	/* what issues in a cycle, beside what the core says; 0: no other limit */
	struct {
		uint64_t shifts, leas, vectors, branches, taken, multiply_every;
		uint64_t wide_loads, wide_stores, accesses, commits;
	} limits;
	/* how instructions are fetched and decoded; l1i 0: in no time */
	struct {
		uint64_t ops, ways, line_ops, window, per_cycle; /* ops 0: no op cache */
		uint64_t l1i, l1i_ways, fetch, fetch_l2, decode, prefix, erratum;
	} frontend;
	/* what the window holds, beside the core's stores; 0: as many as the window */
	struct {
		uint64_t integers, vectors, loads, branches;
		uint64_t wait_adds, wait_vectors, wait_loads, wait_stores;
	} backend;
	/* how other CPUs are woken, in layer b: ns; ipi 0: they take no time */
	struct {
		uint64_t ipi, nmi, timer, hop, hop_thread, hlt, settle_us, ramp_us, ramp_percent;
		char hints[64], exits[128]; /* of MWAIT, by their order */
	} wake;
	/* disturbances */
	uint64_t jitter_every, jitter_ticks, spike_every, spike_ticks, noise_samples, seed;
	/* SMIs, and how one is asked for; values that ACPI gives a meaning */
	struct {
		uint64_t every, irregular, ticks, long_of, long_ticks;
		uint64_t port, asked, late, deaf, enable, disable, s4bios, pstate, cst;
	} smi;
	/* a system that runs there */
	uint64_t stolen_ppm, gap_us, small_pages, clock_percent;
	/* CPUID */
	char vendor[13], brand[49];
	uint64_t family, counters, tsc_invariant;
	struct cpu_claims claims;
	/* which values the machine hides: tests/kam/judge/stated.h */
	unsigned expects;
	struct cpu_expect {
		char name[40], text[200];
	} expect[CPU_EXPECTS];
};

/* Sets every parameter to its default. */
void cpu_init(struct cpu *);
/* Reads a .ini; whatever it does not know ends the program with file and line. */
void cpu_read(struct cpu *, const char *path);
/*
 * Sets what a thread has of what the threads of its core divide: half of it while the other one
 * executes anything, PAUSE included; all of it while that is halted or not started. Intel,
 * Optimization Reference Manual, Hyper-Threading, "Partitioned Resources": the reorder buffer and
 * the store buffers; SDM vol. 3A, "Management of Idle and Blocked Conditions". AMD's optimization
 * guides of family 17h and later call the retire queue and the store queue statically partitioned.
 * Fill buffers are shared by demand on some processors: to divide them is the worst case.
 */
void cpu_divide(struct cpu *, const struct cpu *whole, int halved);
/* Prints every section, key, default and meaning. */
void cpu_format(void);
/* The number of a core in a list of them, by their order; 0: the list is shorter. */
int64_t cpu_of_core(const char *list, unsigned core);
/* Returns the number of entries of a list. */
unsigned cpu_list_length(const char *list);
/* ns until a CPU executes that waited by MWAIT with a hint; that was halted. */
uint64_t cpu_exit_ns(const struct cpu *, uint64_t hint);
/* Returns the number of cache levels: 2 to 4. */
static inline unsigned cpu_levels(const struct cpu *c)
{
	return !c->level[2].bytes ? 2 : !c->level[3].bytes ? 3 : 4;
}

/* Ticks that a core's counter is ahead of the first one's, when that has `at`. */
static inline double cpu_ahead(const struct cpu *c, unsigned core, double at)
{
	double drift = (double)cpu_of_core(c->skew.ppb, core) / 1e9;

	return (double)cpu_of_core(c->skew.ticks, core) + drift * (at - (double)SKEW_BASE);
}

/* Returns 1 if the machine has AMD's registers and leaves, 0 if it has Intel's. */
static inline int cpu_is_amd(const struct cpu *c)
{
	return strcmp(c->vendor, "AuthenticAMD") == 0;
}

/*
 * Returns 1 if equal samples take equal times, except for the counter's last step and a neighbour.
 */
static inline int cpu_quiet(const struct cpu *c)
{
	return !c->jitter_every && !c->spike_every && !c->smi.every && !c->hz_start;
}

/* Returns 1 if a cache replaces at random. */
static inline int cpu_at_random(const struct cpu *c)
{
	unsigned i;

	for (i = 0; i < CPU_LEVELS; i++)
		if (c->level[i].policy == CPU_RANDOM)
			return 1;
	return 0;
}

/*
 * Returns 1 if the first sample after the warm-up is as good as a later one: no predictor learns
 * on, no cache replaces at random, and the counter's step is no part of a value.
 */
static inline int cpu_repeats(const struct cpu *c)
{
	return cpu_quiet(c) && !cpu_at_random(c) && c->tsc_step == 1 &&
		c->predictor != PREDICTOR_TAGGED;
}

#endif
