/* SPDX-License-Identifier: MIT */
/* The gap scan of one or more processors, slice by slice; private to noise*.c. */
#ifndef PROBES_NOISE_NOISE_SCAN_H
#define PROBES_NOISE_NOISE_SCAN_H

#include "engine/cpu_tasks.h"
#include "probes/noise/noise.h"

#define NOISE_THRESHOLDS 5
extern const double noise_thresholds_us[NOISE_THRESHOLDS];

struct watch;

/* What one processor has seen. */
struct seen {
	struct watch *watch;
	unsigned cpu;
	struct gap_scan *scan;              /* of the slice under way */
	struct event_counts quiet;          /* likewise */
	double *rate, *stolen, *longest_ns; /* [watch->slices]: gaps per second, ppm, ns */
	double threshold_ticks, smallest_ticks;
	double cycles_per_tick, stolen_part; /* of the slice before */
	double gap_ticks, observed_ticks, blind_ticks;
	uint64_t gaps, unrecorded, together;
	uint64_t above[NOISE_THRESHOLDS], log2[64];
	struct longest longest;
};

/* A scan: processors first..first+n-1 at once, and nothing on the others. */
struct watch {
	unsigned first, n;
	bool numbered; /* its rows have the parameter `cpu` */
	double seconds;
	unsigned slices, done;
	double slice_ns;
	uint64_t started; /* TSC at the beginning of the first slice */
	struct moments moments;
	struct seen *seen;      /* [n] */
	struct timeline *lines; /* [n] */
	unsigned members;       /* of the crew: the measuring CPU is always one of them */
	struct cpu_task *crew;
	volatile uint64_t go;
};

/*
 * Memory for the scan, and each processor's threshold. What is kept of all slices lives until the
 * run is over. 0, or -1 after job_skip.
 */
int watch_prepare(struct bench *, struct job *, struct watch *);
/* One slice on all its processors. 0, or -1 after job_skip. */
int watch_slice(struct bench *, struct job *, struct watch *);

/* The longest gap that it saw, ns. */
double seen_longest_ns(const struct seen *);

#endif
