/* SPDX-License-Identifier: MIT */
/* What one CPU of a row does: it streams through its part, or chases through a chain. */
#ifndef PROBES_CORES_CORES_STREAM_H
#define PROBES_CORES_CORES_STREAM_H

#include "engine/chain.h"
#include "engine/cpu_tasks.h"
#include "probes/streams.h"

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

/* How long all stream together, ns. */
double stream_turn_ns(const struct bench *);

#define TASK_CALLS 9 /* of a sampler: two to warm up and the fewest samples */

#endif
