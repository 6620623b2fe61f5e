/* SPDX-License-Identifier: MIT */
/*
 * The measuring engine: plan -> warm up -> prove -> repeat -> emit.
 *
 * A probe plans rows; the engine gives each row a time budget, prepares it, demands that its
 * loop returns the value that plain C predicts, samples it until the budget is used or the
 * spread is small enough, and emits one result line. Nothing here does I/O: see struct room.
 */
#ifndef ENGINE_BENCH_H
#define ENGINE_BENCH_H

#include "engine/room.h"
#include "engine/options.h"
#include "lib/math.h"

struct bench;
struct card;
struct found_values;
struct job;
struct jsonl;
struct plan;
struct reader;
struct row;
struct remarks;
struct skipped;

/* The conversion of a sample's ticks to the row's number. */
enum scale {
	SCALE_NS,    /* (ticks - overhead) / ops, in nanoseconds */
	SCALE_GBS,   /* ops bytes / (ticks - overhead), in 10^9 bytes per second */
	SCALE_TICKS, /* (ticks - overhead) / ops, in TSC ticks */
	SCALE_PLAIN, /* the sample's value as it is (custom sampler) */
	SCALE_RATE,  /* the same, and more of it is faster */
};

struct unit {
	const char *name; /* "ns/load", "GB/s", "ticks" */
	enum scale scale;
};

/* A number that tells rows apart, printed by its name; see docs/format.md for the known names. */
struct param {
	const char *name;
	double value;
};

#define ROW_PARAMS    8
#define ROW_SPEC      32   /* bytes that a probe may keep in a row */
#define SAMPLES_LIMIT 1024 /* most samples of a row */

/*
 * Bytes that share no line with their neighbours, nor one that a prefetcher brings in: what one
 * CPU writes and others wait for (Intel optimization manual, "spatial prefetcher").
 */
#define LINE_PAIR 128

/* The answer that a row belongs to: what is left out when time is short (engine/answers.inc). */
enum answer {
#define ANSWER(symbol, profile, what) ANSWER_##symbol,
#define CORE_ANSWER                   ANSWER
#include "engine/answers.inc"
#undef CORE_ANSWER
#undef ANSWER
	ANSWERS,
	ANSWERS_BEHIND_CARD = ANSWER_NOISE
};

/* Needs of a row from the machine or the room; absence is a skip with a reason. */
enum need {
	NEED_AVX2 = 1 << 0,
	NEED_AVX512 = 1 << 1, /* F and BW */
	NEED_ERMS = 1 << 2,
	NEED_CODE = 1 << 3,  /* memory for generated code */
	NEED_CPUS = 1 << 4,  /* a second processor */
	NEED_RING0 = 1 << 5, /* MSR access */
	NEED_LINUX = 1 << 6,
	NEED_RDTSCP = 1 << 7,
	NEED_CLFLUSH = 1 << 8,
	NEED_AVX = 1 << 9,
	NEED_FAULTS = 1 << 10, /* pages that come when first touched */
	NEED_SYSTEM = 1 << 11, /* an operating system that can be asked for something */
	NEED_PCID = 1 << 12,
	NEED_INVPCID = 1 << 13,
	NEED_CLFLUSHOPT = 1 << 14,
	NEED_CLWB = 1 << 15,
	NEED_SYSCALL = 1 << 21, /* the instruction, not somebody who is called */
	NEED_XSAVE = 1 << 22,   /* with XRSTOR */
	NEED_XSAVEOPT = 1 << 23,
	NEED_XSAVEC = 1 << 24,
	NEED_FMA = 1 << 25,
	NEED_BMI2 = 1 << 26,
	/* Not of the machine but of the order: */
	NEED_LEVELS = 1 << 16,  /* uses b->levels: the latency curve is measured first */
	GIVES_LEVELS = 1 << 17, /* its plan_first and find_first find them */
	BY_PREFETCH = 1 << 18,  /* with prefetch=both each row is measured with and without them */
	ALL_FIRST = 1 << 19,    /* all its rows are measured before those of the other probes */
	ALL_STARTED = 1 << 20,  /* measured with all threads of the core started, as NEED_CPUS is */
	/*
	 * Its find hook is not called for the rows' floors. Of a difference of two times the lowest
	 * samples are those in which the machine was slow in the control only: no quiet moment.
	 */
	NO_FLOORS = 1 << 27,
};

/* A planned row. */
struct row {
	const struct probe *probe;
	const char *variant; /* static string, unique with the parameters within the probe */
	const struct unit *unit;
	struct param params[ROW_PARAMS];
	unsigned nparams;
	uint32_t needs; /* enum need bits, with the probe's own */
	enum answer answer;
	size_t page_bytes; /* page size wanted of the arena; 0: no arena needed */
	const char *level; /* canonical level "l1" ... "l4", "memory", or NULL */
	/*
	 * Parameters that the probe needs to prepare the row, as its own structure: see row_spec.
	 */
	_Alignas(8) unsigned char spec[ROW_SPEC];
	double cost_ns;      /* estimate: preparation and the fewest samples */
	unsigned remeasured; /* how often it had been measured before it was planned once more */
	/*
	 * Rows planned one after the other with the same number are compared with the first of
	 * them, and are of no use without it: they are left out with it. 0: of no set.
	 */
	unsigned set;
	bool replays;     /* no work: shows values that an earlier row measured */
	bool exact;       /* it takes as long as estimated, however busy the machine is */
	bool no_prefetch; /* the twin without hardware prefetchers */
	/*
	 * Makes the memory and fills *j. 0; or -1 after job_skip(j, "reason").
	 * Called immediately before the row is measured; the arena's contents may be anything.
	 */
	int (*prepare)(struct bench *, const struct row *, struct job *);
};

/* One sample. */
struct sample {
	double value;   /* in the row's unit */
	double control; /* where value is a difference: what was subtracted, in the row's unit */
	double core_hz; /* core clock around it; 0 unknown */
	bool disturbed;
};

/* A row made ready: what to call and what to expect. */
struct job {
	loop_fn *loop;
	uint64_t args[LOOP_ARGS];
	uint64_t empty_args[LOOP_ARGS]; /* the same loop with a count of 0 */
	uint64_t expect;                /* the value that plain C predicts */
	double ops;                     /* operations (or bytes, SCALE_GBS) per call; > 0 */
	unsigned
		warm_calls; /* calls before the first sample; 0: one. More follow until two agree */
	unsigned min_samples;    /* 0: the engine's default */
	unsigned max_samples;    /* 0: the engine's default */
	uint32_t allowed_events; /* EVENT_FAULTS: page faults disturb nothing here */
	bool cold;               /* no warm-up: a custom sampler that must see every call */
	bool tells_disturbance;  /* disturbances are its number: its median is over all samples */
	bool flushed;            /* no sample finds any of its memory in a cache */
	/*
	 * Brings the row's memory to where the warm-up's calls begin, untimed, by loops of its own
	 * that it proves; may set warm_calls, flushed. 0, or -1 after job_disproved. May be NULL.
	 */
	int (*warm)(struct bench *, struct job *);
	/*
	 * It goes through so much memory that nothing is left of it when it begins anew: after four
	 * whole calls of the warm-up, others are as short as samples.
	 */
	bool leaves_nothing;
	/*
	 * New state before each sample and each warm-up call, untimed; may change args and expect.
	 * May be NULL.
	 */
	void (*refresh)(struct bench *, struct job *);
	/*
	 * Makes a call do about `ops` operations, at least one and never more than the preparation
	 * wanted: the engine asks for it once it knows how long they take. Sets ops and args; the
	 * next refresh sets what follows from them. NULL: calls have one length.
	 */
	void (*resize)(struct bench *, struct job *, double ops);
	/* Replaces the call to the loop: fills s->value in the row's unit. 0, or -1 = failed. */
	int (*sampler)(struct bench *, struct job *, struct sample *s);
	/* Events counted when the sampler's value was measured, if that was earlier. */
	const struct event_counts *counted;
	/* After the first warm-up call: whether memory is as plain C says. May be NULL. */
	bool (*check)(struct bench *, const struct job *);
	/* Adds members of its own to the row's line. May be NULL. */
	void (*extra)(struct bench *, struct job *, struct jsonl *, const double *values,
		unsigned n);
	/*
	 * Adds members of its own to the row's skip line, if the row was prepared so far. May be
	 * NULL.
	 */
	void (*skip_extra)(struct bench *, struct job *, struct jsonl *);
	const struct row *row;
	/*
	 * Obtained for row->page_bytes: the first part of b->arena; more of it where an earlier
	 * preparation has called job_too_large, which asks for `asked` bytes.
	 */
	struct arena arena;
	uint64_t asked;
	bool placed;     /* job_arena_on gave it memory: */
	uint32_t node;   /* of all of that; NODE_UNKNOWN: several, or not known */
	char skip[96];   /* reason, set by job_skip or job_disproved */
	double least_ns; /* it took until it had the fewest samples; 0: it never had them */
	bool disproved;
	bool no_number; /* it was measured, and gave no number */
	void *priv;     /* the probe's own */
};

/* A measured row, kept for the summary and printed by the tables. */
struct result {
	const struct row *row;
	size_t page_bytes; /* obtained; 0 without arena */
#define STATISTIC(name, when) double name;
#include "lib/row_statistics.inc"
#undef STATISTIC
	struct event_counts events; /* sums over the samples */
	double floor,
		floor_cycles; /* lowest decile of the time, as a rate the highest; 0 unknown */
	bool has_quartiles;
	double quartile[2], quartile_cycles[2]; /* of value and cycles, lower and upper */
	const char *unsteady; /* "drift", "two-modes": its samples have no one value; else NULL */
};

/* Canonical sizes (docs/method.md): from measured caches, else claimed by CPUID, else assumed. */
enum level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_L4, LEVEL_MEMORY, LEVELS };

/* Caches as the latency curve shows them, by their order; 0 = not resolved. */
struct caches {
	unsigned count;
	uint64_t bytes[LEVEL_MEMORY];
	uint64_t surely[LEVEL_MEMORY]; /* so much of it holds for sure: less, if its edge is soft */
	double memory_ns;
};

struct level_size {
	const char *name;   /* "l1" ... "memory" */
	uint64_t bytes;     /* 0: no such level on the curve */
	const char *origin; /* "measured", "cpuid", "assumed" */
};

/* The speed of this machine for the planner, from a short calibration. */
struct pace {
	double ns_per_byte;      /* sequential initialisation of memory */
	double ns_per_node;      /* one node of a random cycle, built */
	double ns_per_near_load; /* a dependent load from a small buffer */
	double ns_per_far_load;  /* a dependent load from a buffer of up to 32 MiB */
	double ns_per_call;      /* one call of loop_empty, with timed_begin and timed_end */
};

/* Hardware prefetchers: whether turning them off works, by a sequential chase each way. */
struct prefetch {
	bool checked;         /* asked for: the rest is valid */
	const char *why;      /* why they cannot be turned off; NULL: they can, and it shows */
	double on_ns, off_ns; /* per load; 0: not measured */
};

struct bench {
	struct room *room;
	const struct options *opt;
	struct random random;
	struct pace pace;
	struct caches caches;
	struct level_size levels[LEVELS];
	struct prefetch prefetch;
	double core_hz;        /* after warming up */
	double empty_ticks;    /* loop_empty, median */
	double adds_overhead;  /* core cycles of loop_add_chain beyond its turns */
	double turn_cycles;    /* core cycles of a turn of it: 64, on narrow cores more */
	double tsc_step_ticks; /* by which the TSC advances at a time */
	uint64_t clock_turns;  /* of that chain, on either side of each sample: the core clock */
	unsigned node_bytes;   /* nodes so far apart share no line and no fetched pair of lines */
	unsigned node_bytes_votes; /* trials of 5 that found it; 0: not tried, the setting `node` */
	const struct probe *probe; /* whose rows are being planned or measured */
	struct plan *plan;
	struct result *results; /* [nresults], in the order measured */
	unsigned nresults;
	size_t arena_page;               /* page size asked of the arena as it is now, 0 none */
	struct arena arena;              /* and what was obtained: all that it can be */
	size_t arena_there;              /* bytes of it that are ready, as far as asked for */
	double part_over;                /* of the profile's time, as the progress line has it */
	uint32_t arena_node;             /* as the run line has it; NODE_UNKNOWN: it has none */
	unsigned arena_uses;             /* how often it was mapped anew or given to a row */
	unsigned rows, skips, summaries; /* lines emitted so far */
	unsigned started;                /* rows begun so far, as the progress line has it */
	unsigned wrong;                  /* rows whose proof failed */
	char first_skip[80];             /* the first skip's reason */
	double source_ns;                /* of a source's rows: how long they take; else 0 */
	double exact_ns;                 /* rows whose length was asked for, beside the profile */
	uint64_t no_number; /* a bit for each probe that has a row which gave no number */
	uint64_t start_ticks;
	/*
	 * Spent on output: result lines, text for people, progress. A serial line takes 87 us a
	 * byte at 115200 baud, and a stick tens of milliseconds a write, so that this time is none
	 * of the profile's: the same rows are measured whatever the output goes to.
	 */
	uint64_t output_ticks;
	/*
	 * Spent on making arenas ready, and none of the profile's time, nor of a row's: a system
	 * takes 0.2 to 8 s to give and zero a GiB, by what it is, not by the processor. The same
	 * rows are measured on either.
	 */
	uint64_t arena_ticks;
	struct emit *emit;
	struct found_values *found;
	struct card *card;       /* what the lines so far say of the machine */
	struct skipped *skipped; /* the skip lines so far; NULL: nobody asks */
	struct remarks *remarks; /* the probes' sentences; NULL: nobody keeps them */
	void *shared_chain;      /* probes/lanes.c: the chain that rows share */
	struct workspace {
		unsigned char *base;
		size_t bytes, used;
	} work;
};

/*
 * The functions of a probe, probe_<name> in its file. All but plan may be NULL. b->probe is this
 * probe while one runs.
 */
struct hooks {
	/* Adds the rows that other probes rest on. */
	void (*plan_first)(struct bench *b);
	/* Called after those rows: fills b->caches. */
	void (*find_first)(struct bench *b);
	/* Adds all other rows; b->levels is known then. */
	void (*plan)(struct bench *b);
	/*
	 * Looks at the rows measured so far and adds rows within the gaps in which edges lie, by
	 * plan_between. It is called again until it adds none, and not with edges=grid: for a probe
	 * with GIVES_LEVELS before find_first, for the others after all rows.
	 */
	void (*plan_edges)(struct bench *b, struct reader *);
	/*
	 * Infers numbers from the rows, as their reader reads them, and adds these with found().
	 * Called once for each reading of the rows (engine/find.h).
	 */
	void (*find)(struct bench *b, struct found_values *);
	/* Says in words what the rows show beyond the found values. */
	void (*meaning)(struct bench *b);
};

/* A probe: one file and one line in probes.inc. */
struct probe {
	const char *name;
	const char *what;    /* one line for --list and the README */
	const char *sources; /* letters as in docs/sources.md: "L R P" */
	uint32_t needs;      /* enum need bits that all its rows share */
	const struct hooks *hooks;
};

/* The table of probes: probes/registry.c makes it of probes/probes.inc. */
extern const struct probe probes[];
extern const unsigned probe_count;

/*
 * Runs every chosen probe in this room and emits its run ... end lines. 0; 1 if a row's proof
 * failed; 2 if nothing could be measured (no memory, no clock).
 */
int bench_run(struct room *, const struct options *);

/*
 * For a room that had to leave bench_run by force (an exception): writes the end line of the run
 * that was under way, status "faulted". Does nothing when no run was under way.
 */
void bench_faulted(struct room *, const char *why);

#define FORM_TEXT 64 /* bytes that hold it */

/* A summary line (docs/format.md); value NAN = not resolved, claimed NAN = nothing claimed. */
struct summary {
	const char *name, *unit;
	double value, claimed;
	/* Bracket in which the value lies; both 0: none; high infinite: it is `low` at least. */
	double low, high;
	double least;      /* so much in any case, should the value not be resolved; 0: not known */
	double rise[3];    /* soft edge: where 10, 50, 90 % of it are done; else 0 */
	double confidence; /* 0..1 */
	/*
	 * Read by the rows' floors, where that tells another machine: the value, its bracket (both
	 * 0: none), and the part of the probe's samples that was disturbed. has_floor says so.
	 */
	bool has_floor;
	double floor, floor_low, floor_high, disturbed_share;
	const char *rests_on; /* rows it was inferred from, in words */
	const char *disputed; /* what others say otherwise, in words; NULL: nobody */
	char form[FORM_TEXT]; /* what the number is of, docs/format.md; "": not said */
	size_t page_bytes;    /* of their memory; 0: not said */
	const char *reason;   /* why not resolved, or NULL */
	bool edge; /* its bracket is an edge's: measured again, and widened (engine/find.h) */
	bool edge_nowhere; /* it was one, and elsewhere each time: no floor either */
};

#endif
