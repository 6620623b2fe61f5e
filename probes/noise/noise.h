/* SPDX-License-Identifier: MIT */
/*
 * The result of a gap scan, and what follows from the scans of several processors. loop_gaps fills
 * a struct gap_scan; all its times are in TSC ticks.
 */
#ifndef PROBES_NOISE_NOISE_H
#define PROBES_NOISE_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench;

struct gap {
	uint64_t at; /* end of the gap, since the first read of its scan */
	uint64_t length;
};

struct gap_scan {
	uint64_t capacity; /* of events; set by the caller, as are the zeros below */
	uint64_t recorded; /* events written; gaps beyond the capacity are only counted */
	uint64_t count;    /* gaps */
	uint64_t total;    /* ticks in gaps */
	uint64_t longest;
	uint64_t smallest; /* difference of two reads: the scan's own resolution */
	uint64_t reads;
	uint64_t blind;    /* ticks spent writing gaps down */
	uint64_t observed; /* ticks from the first to the last read, blind ones included */
	uint64_t started;  /* the first read */
	uint64_t log2[64]; /* gaps by the highest bit of their length */
	struct gap events[];
};

/* The gaps worth keeping over many scans: the longest ones. A heap, shortest first. */
struct longest {
	struct kept {
		double at_ns, length_ns;
		uint32_t cause; /* EVENT_... counted in the same slice, NOISE_... */
	} * gaps;
	unsigned n, capacity;
};

/*
 * Beside the bits EVENT_...: another processor had a gap at the same time; heat slowed down the
 * measuring processor's package.
 */
#define NOISE_TOGETHER  256
#define NOISE_THROTTLED 512

/* Keeps it if it is among the longest; capacity >= 1. */
void longest_add(struct longest *, const struct kept *);

/* One processor's scan, for noise_moments. */
struct timeline {
	const struct gap_scan *scan;
	bool *together;  /* [scan->recorded]: another processor had a gap that overlaps this one */
	uint64_t next;   /* set by noise_moments: the first gap that it has not yet examined, */
	uint64_t moment; /* and the last moment in which this processor had a gap */
};

/* Moments at which more than one processor was interrupted: by one cause, or by chance. */
struct moments {
	uint64_t count;
	unsigned most;   /* processors in one of them, at most */
	uint64_t serial; /* number of the last moment, counting those of a single processor too */
};

/*
 * Marks the recorded gaps that overlap with a gap of another of the n processors, whose TSCs are
 * taken to be one, and adds what it finds to *m. Gaps that overlap in a chain are one moment.
 */
void noise_moments(struct timeline *, unsigned n, struct moments *m);

/*
 * Whether the core clock of two slices differs: core cycles per tick of the TSC, and the part
 * (0..1) of each slice that was stolen, during which cycles may or may not have been counted.
 */
bool noise_clock_moved(double before, double stolen_before, double now, double stolen_now);

/*
 * How many of n gaps are as long and as far apart as the stops of a real-time thread that the
 * system stops for pause_ns in each period_ns: within a fifth of the one, and each a whole number
 * of periods (within a twentieth of one) after the one before. 0 if there are fewer than two such
 * gaps, or if any of that length comes at another time.
 */
unsigned noise_rt_stops(const struct kept *, unsigned n, double pause_ns, double period_ns);

/* Third standardised moment of n values, 0 where they do not vary. */
double noise_skew(const double *values, size_t n, double mean);
/* Standard deviation of n values, with n - 1; 0 for one value. */
double noise_deviation(const double *values, size_t n, double mean);

#endif
