/* SPDX-License-Identifier: MIT */
/* The gap scan of one or more processors, slice by slice; for the files of the probe `noise`. */
#ifndef PROBES_NOISE_NOISE_SCAN_H
#define PROBES_NOISE_NOISE_SCAN_H

#include "engine/cpu_tasks.h"
#include "probes/noise/noise.h"

/* The number of thresholds. */
enum {
#define NOISE_THRESHOLD(us, whose) +1
	NOISE_THRESHOLDS = 0
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
};
extern const double noise_thresholds_us[NOISE_THRESHOLDS];

struct gap_monitor;

/* The events counted in the call of the loop that a gap ended. */
struct gap_cause {
	uint32_t events; /* EVENT_... */
	uint32_t smis;
};

/* The gaps of one processor. */
struct cpu_gaps {
	struct gap_monitor *monitor;
	unsigned cpu;
	struct gap_scan *scan;              /* of the slice under way */
	struct event_counts events;         /* likewise */
	struct gap_cause *causes;           /* of each gap in it; NULL: of all together */
	double *rate, *stolen, *longest_ns; /* [monitor->slices]: gaps per second, ppm, ns */
	double threshold_ticks, smallest_ticks;
	double cycles_per_tick, stolen_part; /* of the slice before */
	double gap_ticks, observed_ticks, blind_ticks;
	uint64_t gaps, unrecorded, together;
	uint64_t above[NOISE_THRESHOLDS], log2[64];
	struct longest longest;
	struct system_count *counts; /* what grew during the scan, [ncounts]; NULL: not looked at */
	unsigned ncounts;
};

/* The gaps of all processors of a scan since its last full minute. */
struct gap_minute {
	unsigned minutes; /* over */
	double gaps, gap_ticks, observed_ticks, longest_ns;
};

extern const struct unit noise_unit_rate;

/* A scan by processors first..first+n-1 at the same time; the others do nothing. */
struct gap_monitor {
	unsigned first, n;
	bool numbered; /* its rows have the parameter `cpu` */
	double seconds;
	unsigned slices, done;
	unsigned parts; /* scans of a slice: what is recorded of each holds so many gaps */
	double part_ns;
	struct gap_minute minute;
	uint64_t started; /* TSC at the beginning of the first slice */
	struct moments moments;
	struct cpu_gaps *cpus;      /* [n] */
	struct timeline *timelines; /* [n] */
	bool counted;               /* the system's counts have been looked at */
	/*
	 * Set by who wants to see each scan before the next one: called after it. The measuring
	 * CPU's gaps are then counted one by one. NULL: nobody does.
	 */
	void (*look)(struct bench *, struct gap_monitor *);
	void *priv;      /* theirs */
	unsigned ntasks; /* the measuring CPU has always one, if only to wait */
	struct cpu_task *tasks;
	volatile uint64_t go;
};

/*
 * Allocates memory and finds each processor's threshold. What is recorded of all slices lives until
 * the run is over. 0, or -1 after job_skip.
 */
int gap_monitor_prepare(struct bench *, struct job *, struct gap_monitor *);
/*
 * The sampler of a job whose priv is the monitor: scans for one slice on all its processors, or
 * until the run is stopped. Its value are the gaps per second of the first one. Each minute that is
 * over is said and has a row `minute`. 0, or -1 after job_skip.
 */
int gap_monitor_sample(struct bench *, struct job *, struct sample *);

/* The longest gap of all slices, ns. */
double cpu_gaps_longest_ns(const struct cpu_gaps *);
/*
 * After the last slice, once: looks at what the system counted since gap_monitor_prepare, for all
 * of the monitor's processors. Does nothing in a room without a system.
 */
void gap_monitor_count(struct bench *, struct gap_monitor *);
/* Says what grew during the scan, and the stops of a real-time thread. */
void cpu_gaps_say_counts(struct bench *, const struct cpu_gaps *);
/* Adds the whole scan of one processor to a row's line. */
void cpu_gaps_put(struct bench *, const struct cpu_gaps *, struct jsonl *);

#define NOISE_CHANCE 0.001 /* an event that chance brings less often is not put down to it */

#endif
