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
	uint64_t most;     /* gaps after which it ends, set by the caller; 0: it does not */
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

#endif
