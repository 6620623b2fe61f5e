/* SPDX-License-Identifier: MIT */
/*
 * What only a room with an operating system has, each for one probe: requests (`oscost`), remedies
 * (`remedies`), counts (`noise`), pages that come when they are touched (`bytouch`), a clock
 * (`clock`).
 */
#ifndef ENGINE_SYSTEM_CALLS_H
#define ENGINE_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/event_counts.h"
#include "probes/loops/loops.h"

struct arena;
struct room;

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
	 * What the system counts: looked at by count_begin and count_end. counts_of then gives what
	 * grew between them on a processor (as in facts.topology), the most frequent first and
	 * times last; it returns how many were written to out[most].
	 */
	void (*count_begin)(struct room *);
	void (*count_end)(struct room *);
	unsigned (*counts_of)(struct room *, unsigned cpu, struct system_count *out, unsigned most);
};

#endif
