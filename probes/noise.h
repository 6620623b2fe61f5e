/* SPDX-License-Identifier: MIT */
/* What a gap scan leaves behind; kern_gaps fills it, all times in TSC ticks. */
#ifndef PROBES_NOISE_H
#define PROBES_NOISE_H

#include <stddef.h>
#include <stdint.h>

struct gap {
	uint64_t at;     /* end of the gap, since the first read of its scan */
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
	uint64_t log2[64]; /* gaps by the highest bit of their length */
	struct gap events[];
};

/* The gaps worth keeping over many scans: the longest ones. A heap, shortest first. */
struct longest {
	struct kept {
		double at_ns, length_ns;
		uint32_t cause; /* enum quiet bits that moved during the same scan, 0: none counted */
	} *gaps;
	unsigned n, capacity;
};

/* Keeps it if it is among the longest; capacity >= 1. */
void longest_add(struct longest *, const struct kept *);

/* Third standardised moment of n values, 0 where they do not vary. */
double noise_skew(const double *values, size_t n, double mean);
/* Standard deviation of n values, with n - 1; 0 for one value. */
double noise_deviation(const double *values, size_t n, double mean);

#endif
