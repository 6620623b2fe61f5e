/* SPDX-License-Identifier: MIT */
/*
 * What the measuring code knows of the room it is in. kernel/ and linux/ each provide one
 * `struct room`; nothing else differs between the rooms. A missing function pointer means that the
 * room cannot do it, and rows that need it are skipped with that reason.
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
struct row;

enum room_kind { ROOM_HOSTED, ROOM_FIRMWARE, ROOM_BARE };

/* "hosted", "firmware", "bare": by enum room_kind. */
extern const char *const room_names[];

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

#define PAGE_4K (4 * KIB)
#define PAGE_2M (2 * MIB)
#define PAGE_1G (1 * GIB)

#define NODE_UNKNOWN UINT32_MAX

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

/* What a system can do for the thread that measures; any of them together. */
enum remedy {
	REMEDY_PINNED = 1 << 0,   /* to its processor; else it may run on any that it was given */
	REMEDY_NICE = 1 << 1,     /* before all other ordinary threads */
	REMEDY_FIFO = 1 << 2,     /* real-time priority */
	REMEDY_NO_TURBO = 1 << 3, /* the processors keep to their base frequency */
	REMEDY_IRQS = 1 << 4      /* devices' interrupts go to other processors */
};

/*
 * What a program asks its system for, a lap at a time. A lap of those that switch is there and
 * back: two switches.
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

/* How memory may be cached. */
enum caching { CACHE_BACK, CACHE_COMBINING, CACHE_NONE };

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

/* What happened between timed_begin and timed_end; a count is valid if its bit is in `known`. */
struct event_counts {
	uint32_t known;
#define EVENT(NAME, name, kind, words) uint64_t name;
#include "lib/event_counts.inc"
#undef EVENT
	uint64_t priv[8]; /* the room's own: values at the start */
};

/* What came of a request. */
struct request_result {
	struct timed timed;         /* all laps together; value: how many were done */
	struct event_counts events; /* while they were timed */
	uint64_t counted;           /* what the system itself counted of it (probes/oscost.c) */
	double late_ns;             /* REQUEST_TIMER...: by the system's clock; else 0 */
};

/* Something that a system counts, and that grew: for what takes a processor away. */
struct system_count {
	char kind[12];  /* "interrupts", "softirqs", "switches", "seconds" */
	char name[16];  /* the system's name of it: "LOC", "TIMER", "involuntary", "steal" */
	char words[40]; /* what the system says that it is; "" nothing */
	double count;   /* of the kind; seconds of the kind "seconds" */
};

/* Where a CPU sits; ids are the firmware's or the loop's. UINT32_MAX: unknown. */
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

/* Whether it is what it seems to be (engine/doubts.h): the more certain one is the greater. */
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
	size_t pages;          /* page sizes the arena can have, or'ed: PAGE_4K | PAGE_2M ... */
	/* What arena_on has of the arena's node in pages of 2 MiB, if more than the arena; or 0. */
	size_t beside_bytes;
	/*
	 * The measuring thread is a real-time one, and the system may stop it so long in each
	 * period, ns. 0: it is none, or it is never stopped.
	 */
	double rt_pause_ns, rt_period_ns;
	struct host host;
};

enum cpu_control {
#define CPU_CONTROL(key) CONTROL_##key,
#include "engine/cpu_controls.inc"
#undef CPU_CONTROL
	CPU_CONTROLS
};

/* What became of a CPU control that was asked for. */
struct control_answer {
	const char *how;  /* by what means, in a word; "": there is no way; NULL: no answer */
	unsigned not_set; /* CPUs that stay as found */
	const char *why;  /* of the measuring CPU; NULL: it was set */
};

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

	/*
	 * Memory whose pages nobody has touched since this call: the first touch of each faults.
	 * Each call takes the pages of the previous one back. 0; -1 where pages of page_bytes
	 * cannot be had; NULL in a room without page faults.
	 */
	int (*untouched)(struct room *, size_t bytes, size_t page_bytes, struct arena *out);

	/* Runs a timed loop; tests may run it on another processor. */
	struct timed (*call)(struct room *, loop_fn *loop, const uint64_t args[LOOP_ARGS]);

	/*
	 * Around every timed section: interrupts off or pinned, counters read. Nothing slow inside.
	 */
	void (*timed_begin)(struct room *, struct event_counts *);
	void (*timed_end)(struct room *, struct event_counts *);

	/* CPUID of the measuring CPU. */
	struct cpuid (*cpuid)(struct room *, uint32_t leaf, uint32_t subleaf);

	/* TSC now, for budgets and deadlines; not a measurement. */
	uint64_t (*now)(struct room *);

	/* The operating system's own clock, ns; NULL where there is none. */
	uint64_t (*os_clock_ns)(struct room *);

	/*
	 * Runs fn(arg) on another CPU and returns at once; run_wait waits for it. CPUs are numbered
	 * as in facts.topology, where 0 is the measuring one. 0 or -1.
	 */
	int (*run_on)(struct room *, unsigned cpu, void (*fn)(void *), void *arg);
	int (*run_wait)(struct room *, unsigned cpu);

	/*
	 * Turns the measuring CPU's hardware prefetchers off, or back to what they were. 0; or -1
	 * with the reason. NULL: the room cannot.
	 */
	int (*prefetch)(struct room *, bool on, const char **why);

	/*
	 * Gives the measuring thread these remedies (enum remedy, or'ed) and takes from it every
	 * other one that it has, for some 20 ms; remedy_end gives it what the room had chosen. 0;
	 * or -1 with the reason, as after remedy_end. NULL: the room cannot.
	 */
	int (*remedy)(struct room *, uint32_t remedies, const char **why);
	void (*remedy_end)(struct room *);

	/*
	 * Asks the system for something, `laps` times, and times it. 0; or -1 with the reason.
	 * NULL: there is no system.
	 */
	int (*request)(struct room *, enum os_request, uint64_t laps, struct request_result *,
		const char **why);

	/*
	 * What the system counts: looked at by count_begin and count_end. counts_of then gives what
	 * grew between them on a processor (as in facts.topology), the most frequent first and
	 * times last; it returns how many were written to out[most]. NULL: there is no system.
	 */
	void (*count_begin)(struct room *);
	void (*count_end)(struct room *);
	unsigned (*counts_of)(struct room *, unsigned cpu, struct system_count *out, unsigned most);

	/*
	 * A model-specific register of the measuring CPU. 0; another value where it has none of
	 * that number. NULL: the room cannot, and msr_why may say why.
	 */
	int (*read_msr)(struct room *, uint32_t msr, uint64_t *value);
	const char *msr_why;

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
	 * How many samples a row has that asks for no number itself, where nothing can disturb one.
	 * 0: as many as the engine's rule wants. 1: the last call of the warm-up is the sample.
	 */
	unsigned samples;

	/* Rows that nobody will look at: they are not planned. May be NULL. */
	bool (*unwanted)(struct room *, const struct row *);

	/* Adds the room's own members to the run line and to the end line. May be NULL. */
	void (*describe)(struct room *, struct jsonl *);
	void (*conclude)(struct room *, struct jsonl *);

	void *priv;
};

#endif
