/* SPDX-License-Identifier: MIT */
/*
 * All that the measuring code knows of its room. kernel/ and linux/ each provide one `struct room`;
 * nothing else differs between the rooms. A missing function pointer means that the room cannot do
 * it, and rows that need it are skipped with that reason.
 */
#ifndef ENGINE_ROOM_H
#define ENGINE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cpuid.h"
#include "lib/smbios.h"
#include "probes/loops/loops.h"

struct jsonl;
struct room;

enum room_kind { ROOM_HOSTED, ROOM_FIRMWARE, ROOM_BARE };

/* "hosted", "firmware", "bare": by enum room_kind. */
extern const char *const room_names[];

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

#define PAGE_4K (4 * KIB)
#define PAGE_2M (2 * MIB)
#define PAGE_1G (1 * GIB)

#define PAGE_SIZES                                                                                 \
	{                                                                                          \
		PAGE_4K, PAGE_2M, PAGE_1G                                                          \
	} /* all of them, as an initializer */

#define TABLE_LEVELS 5 /* of page tables, at most */

#define NODE_UNKNOWN UINT32_MAX

/* Bytes of the arena that are there as soon as it is mapped. */
#define ARENA_PART (64 * MIB)

/* Memory under measurement. */
struct arena {
	unsigned char *base; /* aligned to page_bytes */
	size_t bytes;        /* usable, a multiple of page_bytes */
	size_t page_bytes;   /* page size really obtained: 4 KiB, 2 MiB or 1 GiB */
	bool write_back;     /* cacheable as ordinary memory, as far as the room can tell */
	/*
	 * Bytes from base where single pages may be touched, if that is more than `bytes`: where
	 * memory that nobody touches costs nothing. 0: `bytes`.
	 */
	size_t reach;
	uint32_t node; /* NUMA node of all its pages, NODE_UNKNOWN: not known, or several */
};

/* Caching of memory. */
enum caching { CACHE_BACK, CACHE_COMBINING, CACHE_NONE };

/* The place of a CPU in the machine; ids are the firmware's or the loop's. UINT32_MAX: unknown. */
struct cpu_location {
	uint32_t id;                 /* APIC id, or Linux CPU number */
	uint32_t package, die, core; /* core is unique within its package */
	uint32_t thread;             /* which SMT sibling */
	uint32_t node;               /* NUMA node, as the firmware or Linux numbers them */
	uint32_t l3;                 /* its last cache: the same number, the same cache */
	uint32_t core_type;          /* as docs/format.md lists; 0: all are alike */
};

#define TSC_SOURCES 8

/* One way of finding the TSC's rate. */
struct tsc_source {
	const char
		*name; /* "cpuid-15h", "pm-timer", "hpet", "pit", "stall", "clock_monotonic_raw" */
	double hz;     /* 0: not available here */
	bool claimed;  /* told by CPUID, an MSR or a kernel, not timed */
};

/*
 * The doubt that the machine is what it seems to be (engine/doubts.h): a greater value is more
 * certain.
 */
enum doubt { DOUBT_NONE, DOUBT_VIRTUAL, DOUBT_EMULATED };

#define DOUBT_TEXT 400

/* The machine, as far as the room knows it; strings are never NULL ("" = unknown). */
struct facts {
	const char *build;      /* version of this program */
	const char *hypervisor; /* CPUID 40000000h vendor, or "" */
	bool emulated;          /* an emulator executes the instructions: timings mean nothing */
	enum doubt may_be;      /* although CPUID does not say so, */
	char may_be_why[DOUBT_TEXT]; /* for these reasons */
	char acpi_maker[16];         /* OEM id and OEM table id of the FADT: "BOCHS BXPC" */
	bool microcode_known;
	uint32_t microcode;
	double tsc_hz;          /* ticks per second; > 0 */
	const char *tsc_source; /* name of the source that gave tsc_hz */
	struct tsc_source tsc[TSC_SOURCES];
	unsigned tsc_sources;
	double tsc_disagree_ppm; /* largest disagreement among timed sources and tsc_hz */
	bool tsc_invariant;      /* CPUID 80000007h EDX[8] */
	unsigned cpus;           /* processors that can be used */
	const struct cpu_location *topology; /* [cpus], or NULL */
	uint64_t memory_bytes;               /* RAM of the machine, 0 unknown */
	uint64_t xcr0; /* vector state that may be used on the measuring CPU; 0: SSE only */
	bool ring0;
	bool frames_scattered; /* pages of 4 KiB have frames from anywhere, not neighbours */
	unsigned table_levels; /* of the page tables, if they are the room's: 4 or 5; else 0 */
	size_t pages;          /* page sizes the arena can have, or'ed: PAGE_4K | PAGE_2M ... */
	/*
	 * Bytes that arena_on has on the arena's node in pages of 2 MiB, if more than the arena; or
	 * 0.
	 */
	size_t beside_bytes;
	/*
	 * The measuring thread is a real-time one, and the system may stop it so long in each
	 * period, ns. 0: it is none, or it is never stopped.
	 */
	double rt_pause_ns, rt_period_ns;
	bool split_locks_trapped; /* the system slows, logs or ends who locks across lines */
	struct host host;
};

enum cpu_control {
#define CPU_CONTROL(key) CONTROL_##key,
#include "engine/cpu_controls.inc"
#undef CPU_CONTROL
	CPU_CONTROLS
};

/* The end of code that did not return (room.guard). */
struct escape {
	bool late;       /* it took too long; the rest is where it was then */
	uint64_t vector; /* of the exception that it raised */
	uint64_t error;  /* what this pushed */
	uint64_t at;     /* address of the instruction, of a trap the one behind it */
	uint64_t access; /* of a page fault: the address that it was about */
};

/* The answer to a CPU control that was requested. */
struct control_answer {
	const char *how;  /* by what means, in a word; "": there is no way; NULL: no answer */
	unsigned not_set; /* CPUs that stay as found */
	const char *why;  /* of the measuring CPU; NULL: it was set */
};

/* A request for an SMI: a value for ACPI's port (FADT, SMI_CMD). */
struct smi_request {
	bool wanted; /* the configuration says so */
	uint16_t port;
	uint8_t value;
	const char *why;  /* why there is none for all that; NULL: there is one */
	uint32_t counter; /* the MSR that counts SMIs; 0: nothing does */
};

/*
 * The way in which another CPU waits, and the event that ends the wait (probe wake). If its own
 * timer ends it, the measuring CPU waits: cpu is 0, and it waits by PAUSE or HLT.
 */
enum wait_in { WAIT_PAUSE, WAIT_HALT, WAIT_MWAIT };
enum wake_by { WAKE_BY_STORE, WAKE_BY_INTERRUPT, WAKE_BY_NMI, WAKE_BY_TIMER };

struct waking {
	unsigned cpu; /* as in facts.topology */
	enum wait_in in;
	enum wake_by by;  /* a store ends no HLT */
	uint32_t hint;    /* of MWAIT: EAX */
	uint64_t dwell;   /* ticks of the TSC that it waits at least before it is woken */
	unsigned nchains; /* chains of adds that it computes afterwards */
	uint64_t chain;   /* of 64 times so many adds */
};

/* A chain computed by the CPU that was woken. */
struct woken_chain {
	uint64_t ended; /* its own TSC since it was woken, ticks */
	uint64_t ticks; /* of the chain */
};

/* --- what can happen while a loop is timed, and is counted --- */

/* The counts of lib/event_counts.inc, and a bit for each: EVENT_SMIS ... */
enum event_index {
#define EVENT(NAME, name, kind, words) EVENT_INDEX_##NAME,
#include "lib/event_counts.inc"
#undef EVENT
	EVENT_KINDS
};
enum {
#define EVENT(NAME, name, kind, words) EVENT_##NAME = 1 << EVENT_INDEX_##NAME,
#include "lib/event_counts.inc"
#undef EVENT
};

/* Events between timed_begin and timed_end; a count is valid if its bit is in `known`. */
struct event_counts {
	uint32_t known;
#define EVENT(NAME, name, kind, words) uint64_t name;
#include "lib/event_counts.inc"
#undef EVENT
	uint64_t priv[8]; /* the room's own: values at the start */
};

/*
 * --- what only a room with an operating system has ---
 *
 * Each for one probe: requests (`oscost`), remedies (`remedies`), counts (`noise`), pages that come
 * when they are touched (`bytouch`), a clock (`clock`).
 */

/* Remedies that a system has for the thread that measures; any may be combined. */
enum remedy {
	REMEDY_PINNED = 1 << 0,   /* to its processor; else it may run on any that it was given */
	REMEDY_NICE = 1 << 1,     /* before all other ordinary threads */
	REMEDY_FIFO = 1 << 2,     /* real-time priority */
	REMEDY_NO_TURBO = 1 << 3, /* the processors keep to their base frequency */
	REMEDY_IRQS = 1 << 4      /* devices' interrupts go to other processors */
};

/*
 * Requests of a program to its system, a lap at a time. A lap of a request that switches goes there
 * and back: two switches.
 */
enum os_request {
	REQUEST_NOTHING,       /* a call of an empty function: what timing a lap costs */
	REQUEST_SYSCALL,       /* a system call that does nothing */
	REQUEST_CLOCK,         /* the time, as programs ask for it */
	REQUEST_CLOCK_SYSCALL, /* the same by a system call in any case */
	REQUEST_SIGNAL,        /* a signal to the same thread, and its handler's return */
	REQUEST_SWITCH_PIPE,   /* a byte to another thread of this processor, and one back */
	REQUEST_SWITCH_FUTEX,  /* a thread of this processor woken, which wakes this one */
	REQUEST_CROSS_PIPE,    /* the same two with a thread of another processor */
	REQUEST_CROSS_FUTEX,
	REQUEST_FAULT,         /* the first touch of a page of 4 KiB in a fresh mapping */
	REQUEST_FAULT_HUGE,    /* the same, of 2 MiB */
	REQUEST_MAP,           /* a page mapped and unmapped */
	REQUEST_MAP_TOUCHED,   /* the same, written between */
	REQUEST_THREAD,        /* a thread started, and joined */
	REQUEST_TIMER,         /* sleep until a given time: how late */
	REQUEST_TIMER_PRECISE, /* the same where the system may not put it off to save wake-ups */
	REQUESTS
};

/* The result of a request. */
struct request_result {
	struct timed timed;         /* all laps together; value: how many were done */
	struct event_counts events; /* while they were timed */
	uint64_t counted; /* what the system itself counted of it (probes/oscost/oscost.c) */
	double late_ns;   /* REQUEST_TIMER...: by the system's clock; else 0 */
};

/* Something that a system counts, and that grew: for what takes a processor away. */
struct system_count {
	char kind[12];  /* "interrupts", "softirqs", "switches", "seconds" */
	char name[16];  /* the system's name of it: "LOC", "TIMER", "involuntary", "steal" */
	char words[40]; /* what the system says that it is; "" nothing */
	double count;   /* of the kind; seconds of the kind "seconds" */
};

/* Any may be NULL: rows that need it are skipped with that reason. */
struct system_calls {
	/*
	 * Memory whose pages nobody has touched since this call: the first touch of each faults.
	 * Each call takes the pages of the previous one back. 0; -1 where pages of page_bytes
	 * cannot be had.
	 */
	int (*untouched)(struct room *, size_t bytes, size_t page_bytes, struct arena *out);

	/* The operating system's own clock, ns. */
	uint64_t (*os_clock_ns)(struct room *);

	/*
	 * Gives the measuring thread these remedies (enum remedy, or'ed) and takes from it every
	 * other one that it has, for some 20 ms; remedy_end gives it what the room had chosen. 0;
	 * or -1 with the reason, as after remedy_end.
	 */
	int (*remedy)(struct room *, uint32_t remedies, const char **why);
	void (*remedy_end)(struct room *);

	/*
	 * Asks the system for something, `laps` times, and times it. 0; or -1 with the reason.
	 */
	int (*request)(struct room *, enum os_request, uint64_t laps, struct request_result *,
		const char **why);

	/*
	 * The system's counters, read by count_begin and count_end. counts_of then gives those that
	 * grew between them on a processor (as in facts.topology), the most frequent first and
	 * times last; it returns the number written to out[most].
	 */
	void (*count_begin)(struct room *);
	void (*count_end)(struct room *);
	unsigned (*counts_of)(struct room *, unsigned cpu, struct system_count *out, unsigned most);

	/*
	 * Asked after each row: whether the system has left the measuring thread on its processor.
	 * false, with the reason, if not; it is then put there again, if that can be.
	 */
	bool (*stayed)(struct room *, const char **why);
};

/* --- the room --- */

struct room {
	enum room_kind kind;
	struct facts facts;

	/* One without an answer cannot be set here: no CPU was. */
	struct control_answer controls[CPU_CONTROLS];

	/*
	 * The TSC when the room began to be set up, which is part of the profile's time; 0: only
	 * what bench_run does is.
	 */
	uint64_t began;

	/* Scratch memory for plans, results and small tables; not measured. */
	unsigned char *work;
	size_t work_bytes;

	/*
	 * Gives the whole arena, mapped with pages of page_bytes or, where that cannot be had, the
	 * next smaller size. There is one arena: each call replaces the previous mapping, and the
	 * contents are then undefined. 0, or -1 if there is no memory at all.
	 */
	int (*arena)(struct room *, size_t page_bytes, struct arena *out);

	/*
	 * Makes the first `bytes` of the arena ready, 1 to out->bytes as `arena` said: memory is
	 * behind them, in pages of its size. Before, only the first ARENA_PART may be touched, or a
	 * page if that is larger. *out is then the arena as it is: if the system has no more memory
	 * in such pages, it ends where it is ready. 0; -1: less than `bytes` is ready. NULL: all of
	 * the arena always is.
	 */
	int (*arena_ready)(struct room *, size_t bytes, struct arena *out);

	/*
	 * Memory of one NUMA node, apart from the arena, mapped with pages of page_bytes or, where
	 * that cannot be had, another size (out->page_bytes). It stays what it is until the next
	 * call for this node. 0, or -1: there is none of that node. NULL: the room cannot place
	 * memory.
	 */
	int (*arena_on)(struct room *, uint32_t node, size_t page_bytes, struct arena *out);

	/*
	 * Maps the first `bytes` of the arena (a multiple of 2 MiB) as that until the next call of
	 * arena, with 2 MiB pages; contents are undefined then. 0; or -1 with the reason. NULL: the
	 * room cannot.
	 */
	int (*cache_as)(struct room *, enum caching, size_t bytes, const char **why);

	/*
	 * Memory for generated code: first writable, then made read-execute by code_seal, back to
	 * writable by another code_open. Returns NULL where impossible.
	 */
	void *(*code_open)(struct room *, size_t bytes);
	int (*code_seal)(struct room *);

	/* Runs a timed loop; tests may run it on another processor. */
	struct timed (*call)(struct room *, loop_fn *loop, const uint64_t args[LOOP_ARGS]);

	/*
	 * Around every timed section: interrupts off or pinned, counters read. Nothing slow inside.
	 */
	void (*timed_begin)(struct room *, struct event_counts *);
	void (*timed_end)(struct room *, struct event_counts *);

	/*
	 * The page tables' entries by which an address is translated, that of the first table
	 * first; returns how many. 0: nothing is mapped there. NULL: the tables are not the room's.
	 */
	unsigned (*table_entries)(struct room *, uint64_t address, uint64_t *entries[TABLE_LEVELS]);

	/* CPUID of the measuring CPU. */
	struct cpuid (*cpuid)(struct room *, uint32_t leaf, uint32_t subleaf);

	/* TSC now, for budgets and deadlines; not a measurement. */
	uint64_t (*now)(struct room *);

	/* Calls that only an operating system has; all NULL without one. */
	struct system_calls system;

	/*
	 * Runs fn(arg) on another CPU and returns at once; run_wait waits for it. CPUs are numbered
	 * as in facts.topology, where 0 is the measuring one. 0 or -1.
	 */
	int (*run_on)(struct room *, unsigned cpu, void (*fn)(void *), void *arg);
	int (*run_wait)(struct room *, unsigned cpu);

	/*
	 * Before a row: whether the other threads of the measuring core are started, so that run_on
	 * can use them. Where they are not they share nothing with it. NULL: they stay as they are.
	 */
	void (*start_siblings)(struct room *, bool start);

	/*
	 * Turns the measuring CPU's hardware prefetchers off, or back to what they were. 0; or -1
	 * with the reason. NULL: the room cannot.
	 */
	int (*prefetch)(struct room *, bool on, const char **why);

	/*
	 * A model-specific register of the measuring CPU. 0; another value where it has none of
	 * that number. NULL: the room cannot, and msr_why may say why.
	 */
	int (*read_msr)(struct room *, uint32_t msr, uint64_t *value);
	const char *msr_why;

	/*
	 * Calls a loop whose instructions the machine may refuse. 0; or -1 with the exception that
	 * one of them raised, in words, and CR3, CR4 and the registers of `msrs` are as before. The
	 * model-specific registers of `msrs`, of which 0 is the end and NULL none, are those that
	 * the loop writes and gives their own values again: the room notes these, and writes them
	 * once more when it ends, also after a fault. NULL: the room cannot.
	 */
	int (*attempt)(struct room *, loop_fn *, const uint64_t args[LOOP_ARGS],
		const uint32_t *msrs, const char **why);

	/*
	 * Calls a loop that leads to code which may do anything, and ends that if it raises an
	 * exception or takes more than `most_ns`. 0; or -1, and *out says how it ended; the
	 * processor's control registers, segments and flags are then as before. Code of ring 0 may
	 * do what nobody can end or undo: probes/code/README.md. `writable` is all that it may
	 * write, beside its own stack, as far as the room can see to that. NULL: the room cannot.
	 */
	int (*guard)(struct room *, loop_fn *, const uint64_t args[LOOP_ARGS], double most_ns,
		const struct arena *writable, struct timed *, struct escape *out);

	/*
	 * Lets another CPU wait, and wakes it. 0: *ticks is the time from just before it was woken,
	 * by a loop of wake_loops.S with that loop's overhead, until its answer was seen; and of
	 * what it computed then chains[nchains] is filled. By the timer: from when that was due
	 * until the handler began. Or -1 with the reason. NULL: the room cannot.
	 */
	int (*wake)(struct room *, const struct waking *, double *ticks, struct woken_chain *chains,
		const char **why);

	/* An SMI that a row may ask for. */
	struct smi_request smi;

	/* This room's card shows this beside what was measured; NULL: nothing. */
	const struct card_beside *beside;

	/* Results out: one NDJSON line with its newline. */
	void (*write)(struct room *, const char *line, size_t n);
	/* Text for people. */
	void (*say)(struct room *, const char *text, size_t n);
	/*
	 * A progress line of at most 79 columns that the next one or the next text replaces, and
	 * which part of the profile's time is over, 0 to 1.
	 */
	void (*progress)(struct room *, const char *text, size_t n, double part);
	/* Asked between samples; true ends the run early ("interrupted"). May be NULL. */
	bool (*stop)(struct room *);
	/*
	 * Calls fn(arg). Once `stop` is true, fn has a moment to end, and is then left where it is,
	 * and so is what other CPUs do for it. 0; -1: it was left, or not begun. NULL: the room
	 * cannot, and fn ends when it asks `stop`.
	 */
	int (*abandonable)(struct room *, void (*fn)(void *), void *arg);

	/* Adds the room's own members to the run line and to the end line. May be NULL. */
	void (*describe)(struct room *, struct jsonl *);
	void (*conclude)(struct room *, struct jsonl *);

	void *priv;
};

#endif
