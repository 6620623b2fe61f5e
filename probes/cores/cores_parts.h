/* SPDX-License-Identifier: MIT */
/* Helpers of probe `cores`' rows: the CPUs, their memory, and the work of each. */
#ifndef PROBES_CORES_CORES_PARTS_H
#define PROBES_CORES_CORES_PARTS_H

#include "engine/chain.h"
#include "engine/cpu_tasks.h"
#include "engine/probe_api.h"
#include "probes/streams.h"

/* Returns the nearness of two CPUs in words; "" if it is unknown. */
const char *cores_between(const struct facts *, unsigned a, unsigned b);

/* The node of a CPU; NODE_UNKNOWN. */
uint32_t cores_node(const struct facts *, unsigned cpu);

/* Count the packages and cores of the CPUs; facts.topology must be known. */
void cores_count(const struct facts *, unsigned *packages, unsigned *cores);

/*
 * The order in which CPUs are added: the measuring one, then one of each other core, then the
 * siblings. order[facts.cpus].
 */
void cores_order(const struct facts *, unsigned *order);

/* 1, 2, 4 ... and all; n is then more than all. */
unsigned cores_next_count(unsigned n, unsigned all);

/* A part of memory for each CPU of a row: on its own node or one other, too large for caches. */

/*
 * The memory of all CPUs that share a last cache, in multiples of that cache: a cache that replaces
 * at random still holds exp(-4) of it, 2 %.
 */
#define PART_TIMES_CACHE 4

/* The memory that one CPU of a row works on. */
struct cpu_part {
	unsigned cpu;
	unsigned char *base;
	uint64_t bytes; /* a multiple of 4 KiB */
};

/* Bytes for each last cache: PART_TIMES_CACHE times it, but 128 MiB at least (smoke: 32). */
uint64_t parts_domain_bytes(struct bench *);
/* Bytes of all parts of the first n CPUs in the order of cores_order; 0: no scratch memory. */
uint64_t parts_bytes(struct bench *, unsigned n);
/*
 * Gives the first n CPUs in that order a part each on its node; *apart, unless NULL, gets
 * apart->bytes more on the node of the first. 0, or -1 after job_skip.
 */
int parts_take(struct bench *, struct job *, unsigned n, struct cpu_part *, struct arena *apart);
/* Bytes of the parts of all CPUs of a node, and how many they are; 0: no scratch memory. */
uint64_t parts_bytes_of_node(struct bench *, uint32_t cpu_node, unsigned *cpus);
/* Gives the n CPUs of a node a part each in memory of one node. 0, or -1 after job_skip. */
int parts_take_of_node(struct bench *, struct job *, uint32_t cpu_node, uint32_t memory_node,
	unsigned n, struct cpu_part *);

/* The work of one CPU of a row: it streams through its part, or follows a chain. */

/* The kinds of streams; the variants have their names. */
enum { OP_READ, OP_COPY, OP_WRITE, OP_MIX, OPS = OP_MIX + MIXES };
extern const char *const op_names[OPS];

/* One CPU's stream and what became of it. */
struct streamer {
	unsigned op;
	loop_fn *loop;
	unsigned char *part;
	uint64_t bytes;      /* of the part */
	uint64_t chunk;      /* bytes of it that are walked between two readings of the TSC */
	uint64_t idle_ticks; /* waited after each chunk */
	uint64_t turn_ticks; /* how long to stream, or 0: until *end */
	uint64_t at;         /* byte of the part at which the next call goes on */
	const volatile uint64_t *end;
	double moved, ticks; /* bytes, and how long it took */
};

/* A stream through a part by the widest loop that the machine has, for a time. */
struct streamer streamer_of(struct bench *, unsigned op, unsigned char *part, uint64_t bytes,
	const volatile uint64_t *end);
/* cpu_task's work; arg is a struct streamer. */
void streamer_work(struct cpu_task *);
/* GB/s of them together, each by its own time. */
double streamers_gbs(const struct bench *, const struct streamer *, unsigned n);

#define CHASE_LOADS (16 * 1024)

/* A chase of CHASE_LOADS loads, and what became of it. */
struct chaser {
	struct chain chain;
	uint64_t wait_ticks;    /* before it begins */
	volatile uint64_t *end; /* set to 1 when it is done; may be NULL */
	double ns;              /* per load */
	bool wrong;             /* it ended at a wrong node */
};

/* A random chain of nodes that share nothing through so many bytes. 0, or -1 after job_skip. */
int chaser_build(struct bench *, struct job *, const struct arena *, uint64_t bytes,
	struct chaser *);
/* Bytes that chaser_build needs for that, its index included. */
uint64_t chaser_bytes(const struct bench *, uint64_t bytes);
/* cpu_task's work; arg is a struct chaser. */
void chaser_work(struct cpu_task *);

/* Returns the time for which all CPUs stream together, ns. */
double stream_turn_ns(const struct bench *);

#define TASK_CALLS 9 /* of a sampler: two to warm up and the fewest samples */

/* The time that a line takes from CPU to CPU: cores_bounce.c. */
extern const struct hooks cores_bounce;

#endif
