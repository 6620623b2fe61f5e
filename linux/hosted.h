/* SPDX-License-Identifier: MIT */
/*
 * Room `hosted`: the struct room that Linux can provide. hosted_room.c assembles it from parts;
 * each part keeps its state in its own structure here and sets its function pointers in its *_init.
 */
#ifndef LINUX_HOSTED_H
#define LINUX_HOSTED_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "linux/cgroup_limits.h"
#include "linux/clocks.h"
#include "engine/room.h"
#include "engine/options.h"

enum { SLOT_4K, SLOT_2M, SLOT_1G, SLOTS };

/* A mapping of the arena, kept for later rows with its page size. */
struct slot {
	unsigned char *map; /* from mmap; NULL: not mapped */
	size_t map_bytes;
	struct arena arena; /* aligned: all that it may become */
	size_t ready;       /* bytes of it that are populated and verified, from its base on */
	const char *how;    /* "hugetlb", "thp" or "pages" */
	bool locked;        /* mlock succeeded for all that is ready */
	bool refused;       /* the kernel refused it: do not try again */
	uint32_t node;      /* of memory beside the arena: the requested node */
	size_t asked;       /* the same: the requested page size */
};

#define NODE_SLOTS 32

struct hosted_memory {
	size_t limit;  /* most bytes of one arena */
	size_t budget; /* most bytes of all mappings together */
	uint32_t node; /* node of the measuring CPU */
	struct slot slots[SLOTS];
	unsigned current;               /* the slot that room.arena gave last */
	struct slot beside[NODE_SLOTS]; /* memory of other nodes */
	unsigned char *code;            /* generated code */
	size_t code_bytes;
	struct slot untouched; /* untouched pages */
};

#define COUNTERS 3

/* The processor's own counters that perf_event_open(2) gives to this process. */
struct event_counters {
	bool marks;        /* this CPU and kernel clear a null selector on return (os_counters.c) */
	pthread_t owner;   /* the thread that the counters count */
	int fds[COUNTERS]; /* perf descriptors, the group's leader first */
	unsigned ncounters;
	uint32_t counter_bits[COUNTERS]; /* their EVENT_ bits */
};

#define OUTPUT_NAME 4096 /* bytes that hold any path */

struct output {
	int results; /* file descriptor of the NDJSON, -1: none */
	char results_name[OUTPUT_NAME];
	bool begun;         /* a line was written: what the file had before is gone */
	bool created;       /* the file did not exist before */
	FILE *text;         /* what run prints; NULL: nothing but errors */
	FILE *progress;     /* the terminal's progress line; NULL: there is no terminal */
	double told_s;      /* when the last plain line of progress was printed, monotonic */
	int error;          /* errno of the first write that failed, 0: none */
	const char *failed; /* the name of its output */
	int text_error;     /* the same of the text, which does not end the run */
	bool line_open;     /* the terminal shows a progress line */
};

#define FIRST (-20) /* least nice: before all others */

/* The scheduling group of the session's processes: sched_autogroup, linux/hosted_room.c. */
struct autogroup {
	bool on;  /* this kernel groups sessions, and this process is in such a group */
	int nice; /* nice value of the group: -20 (first) to 19 */
	int nice_at_start;
	char why[64]; /* why it is not as requested; "": it is */
};

/* Privileges of this process on its CPU. */
struct scheduling {
	bool fifo_asked, fifo; /* SCHED_FIFO: requested (set before hosted_open); obtained */
	const char *fifo_why;  /* why it was requested and not obtained, or NULL */
	unsigned cpu;          /* Linux number of the measuring CPU */
	char moved[80];        /* where Linux has put this thread instead */
	int nice_at_start;     /* value before the run changed it */
	struct autogroup autogroup;
};

/* State before the first remedy, and the changes that are in force. */
struct remedies {
	bool kept; /* policy, nice and signals hold the old values */
	int policy, nice;
	sigset_t signals;
	struct clock_setting turbo, irqs;
	char why[96];
};

struct worker {
	pthread_t thread;
	unsigned cpu;         /* Linux number */
	bool running, failed; /* failed: it was not pinned and fn not called; or it was moved */
	bool looks;           /* whether it was moved */
	void (*fn)(void *);
	void *arg;
};

struct hosted {
	struct room room; /* first: room->priv points here */
	const struct options *opt;
	struct hosted_memory memory;
	struct event_counters counters;
	struct output output;
	struct scheduling scheduling;
	struct clock_setting clock;
	struct remedies remedies;
	int msr_fd; /* of the measuring CPU, -1: none */
	char msr_why[96];
	struct cpu_location *topology; /* [room.facts.cpus]; [0] is the measuring CPU */
	struct worker *workers;        /* [room.facts.cpus] */
	char hypervisor[13];
	const char *tsc_doubt; /* the reason why Linux does not trust the TSC; NULL: it does */
	double tsc_steady_ppm; /* spread of its timed rates */
	struct {
		double ns, hz; /* CLOCK_MONOTONIC_RAW, and the rate by it */
		uint64_t ticks;
	} tsc_at_start;
	struct os_counters {
		uint64_t interrupts, timer; /* on the measuring CPU */
		uint64_t steal_ticks;       /* in 1/100 s, taken by the hypervisor */
		uint64_t waited_ns;         /* this thread was ready, and others ran */
		bool interrupts_known, steal_known, waited_known;
	} at_start;
	struct cgroup_limits limits; /* at the start of the run */
};

static inline struct hosted *hosted_of(struct room *room)
{
	return room->priv;
}

/* Print to the text output, as printf. */
__attribute__((format(printf, 2, 3))) static inline void hosted_note(struct hosted *h,
	const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	h->room.say(&h->room, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/*
 * Fill h->room for a run with these options on CPU `opt->cpu`. Returns 0; -1 with the reason in
 * err: the CPU cannot be used, no reliable time stamp counter, no memory.
 */
int hosted_open(struct hosted *h, const struct options *opt, char *err, size_t err_bytes);
void hosted_close(struct hosted *h);

/* The output of a run: linux/run_output.c. */

/*
 * Open it: `out` "-" is standard output, NULL a generated name, else that file; it must not exist,
 * unless `force`. `quiet`: nothing is printed. Returns 0 or -1 with the reason in err.
 */
int output_open(struct hosted *, const char *out, bool force, bool quiet, char *err,
	size_t err_bytes);
/*
 * Flush and close; returns 0, or -1 with the reason in err if any output was lost. If not a line
 * was written there is no result: a file that was created is removed, an older one is as it was.
 */
int output_close(struct hosted *, char *err, size_t err_bytes);
/*
 * Write "anechoic-20260101T120000Z-myhost.ndjson", with the host's name changed to letters that a
 * file name may have.
 */
void output_name(char out[OUTPUT_NAME]);
/* The file of the result; NULL: a pipe or a device. */
const char *output_saved(const struct output *);

/* Pin the calling thread to the CPU of this Linux number. Returns 0, or -1 with errno. */
static inline int pin_to(unsigned cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	if (!set)
		return -1;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	int failed = sched_setaffinity(0, bytes, set);
	CPU_FREE(set);
	return failed;
}

/* The lowest CPU that this process may use; 0 if the kernel does not tell. */
unsigned first_cpu(void);

/* The place of a CPU as Linux tells it, by the files below `root` ("": /sys), linux/topology.c. */
struct cpu_location cpu_location_read(const char *root, unsigned cpu);
/*
 * The number by which perf_event_open(2) knows the counters of this CPU's kind of cores, where the
 * machine has several kinds; 0: all are alike.
 */
uint32_t cpu_counters_type(const char *root, unsigned cpu);

/* The parts, called by hosted_open in this order. */
int memory_init(struct hosted *h, char *err, size_t err_bytes);
void counters_init(struct hosted *h);
void guard_init(struct hosted *h);
void requests_init(struct hosted *h);
void system_init(struct hosted *h); /* describe and conclude */

/* Resources of two parts, which hosted_close releases. */
void mapping_free(struct slot *s);
void counters_close(struct event_counters *q);

/* Read the kernel's counts for a CPU since it started. Slow: once for a run, not for a sample. */
struct os_counters os_counters_read(unsigned cpu);

#endif
