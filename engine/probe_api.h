/* SPDX-License-Identifier: MIT */
/*
 * Services that the probes and the engine's own files call: rows, jobs, memory, the machine, text.
 */
#ifndef ENGINE_PROBE_API_H
#define ENGINE_PROBE_API_H

#include "engine/bench.h"
#include "engine/chain.h"

/*
 * Adds a copy of *row to the plan; once the plan is full the row becomes a skip line. plan_between
 * is for plan_edges: it adds no row that has been planned, and no twin without prefetchers, from
 * which nothing is inferred.
 */
typedef void row_adder(struct bench *, const struct row *row);
row_adder plan_add, plan_between;
/* Sets a parameter of a row under construction. */
void row_param(struct row *, const char *name, double value);
/* The value of a parameter, or `missing`. */
double row_get(const struct row *, const char *name, double missing);
/* The points of an octave at which this profile measures, as factors 2^(i/4); returns how many. */
#define SWEEP_MOST 4
unsigned sweep_fractions(const struct bench *, double out[SWEEP_MOST]);
/*
 * Write the sizes of a sweep in bytes to `out`, rounded to `round`: 4, 2 or 1 per octave, by the
 * profile. Returns their number.
 */
#define SIZES_MOST 128 /* 32 octaves */
unsigned sweep(const struct bench *, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST]);
/* Like sweep, with half as many points: 2 per octave in `full`, else 1. */
unsigned sweep_coarse(const struct bench *, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST]);
/* Like sweep, by doubling in every profile. */
unsigned sweep_octaves(const struct bench *, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST]);
/*
 * Returns the largest size of sweeps: the larger of 1 GiB and four times the largest cache that
 * CPUID claims, but at most a quarter of the memory and 7/8 of the arena.
 */
uint64_t sweep_limit(const struct bench *);
/* A row with these members; all others are 0. */
struct row row_new(const char *variant, const struct unit *unit, enum answer answer,
	int (*prepare)(struct bench *, const struct row *, struct job *));
/*
 * The row's specification as the structure that the probe keeps there: zeroed by row_new, written
 * when the row is planned, read when it is prepared.
 */
#define row_spec(row, type)                                                                        \
	({                                                                                         \
		_Static_assert(sizeof(type) <= ROW_SPEC, "ROW_SPEC is too small for " #type);      \
		(type *)(uintptr_t)(row)->spec;                                                    \
	})

/* Gives up a row: the reason is printed and goes into a skip line. Always -1. */
int job_skip(struct job *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Give up a row whose work was done wrongly: "proof failed: ...", and the run fails. Always -1. */
int job_disproved(struct job *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Like row_alloc for a job; returns NULL after job_skip. */
void *job_alloc(struct bench *, struct job *, size_t bytes);
/*
 * Gives up a row that needs more memory than job->arena has, and says both. Always -1. A row's
 * preparation that ends so is done again with `bytes`, if the whole arena has them: it must check
 * its size before it changes anything, and may find all of job anew.
 */
int job_too_large(struct job *, uint64_t bytes);
/* Writes the links of a chain, whose order is set. 0; -1 after job_skip if the run shall end. */
int job_link(struct bench *, struct job *, const struct chain *, enum chain_link);
/*
 * Set the timed call: the loop with these arguments. Its empty twin has the same arguments and a
 * count of 0 in args[count].
 */
void job_call(struct job *, loop_fn *loop, unsigned count, const uint64_t args[LOOP_ARGS]);
/* Text for people: tables, values, sentences; printed unless only the card is wanted. */
void say(struct bench *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of what everybody should see; printed unless nothing is wanted. */
void tell(struct bench *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Scratch memory that lives until the row is done, from a multiple of LINE_PAIR on; NULL when there
 * is not enough.
 */
void *row_alloc(struct bench *, size_t bytes);
/* Memory that lives until the run is over, zeroed; NULL when there is not enough. */
void *run_alloc(struct bench *, size_t bytes);
/*
 * The page size of the rows that do not compare pages: that which was asked for, else the largest
 * that all rooms can have, 2 MiB, so that their rows can be compared; 4 KiB where there is none.
 */
size_t common_page(const struct bench *);
/*
 * The first `bytes` of the arena, with these pages; 0: its first ARENA_PART, or all if that is
 * less. Remapped only if it is not already so, and made ready as far as it was not. *out has whole
 * pages, and all of the arena where that costs nothing. 0; -1: the arena has less.
 */
int bench_arena(struct bench *, size_t page_bytes, uint64_t bytes, struct arena *out);
/*
 * Memory of a node, at least `bytes`: the arena where it lies there, else more by room.arena_on, in
 * pages of the arena's size. NODE_UNKNOWN: the arena. 0, or -1 after job_skip.
 */
int job_arena_on(struct bench *, struct job *, uint32_t node, uint64_t bytes, struct arena *out);
#define SAMPLE_NS 400e3 /* of a sample, where job->resize may choose its length */
/*
 * Returns the part of a call of this many ns that is a sample, 0 to 1: for estimates of a row's
 * cost.
 */
double sample_part(double call_ns);
/* Calls a loop, once. */
static inline struct timed call_loop(struct bench *b, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	return b->room->call(b->room, loop, args);
}
/* Returns true if the machine has all of `needs`; else *why names the missing one. */
bool machine_has(struct bench *, uint32_t needs, const char **why);
/* The bits (EVENT_SMIS ...) of those events counted that disturb a sample. */
uint32_t disturbing_events(const struct event_counts *);
/* Adds what was counted in one stretch of time to what was in others. */
void event_counts_add(struct event_counts *sum, const struct event_counts *);
/* Ticks to nanoseconds, by the measured TSC rate. */
double ticks_to_ns(const struct bench *, double ticks);
/*
 * The first result of the current probe's variant whose parameters include all of params; or NULL.
 */
const struct result *find_row(const struct bench *, const char *variant, const struct param *params,
	unsigned nparams);

extern const struct unit unit_ns_load, unit_ns_op, unit_ns_line, unit_ns_element, unit_gbs,
	unit_ticks;

#endif
