/* SPDX-License-Identifier: MIT */
/* What disturbed the samples of a set of runs. */
#ifndef REPORT_COMPARE_DISTURBANCE_H
#define REPORT_COMPARE_DISTURBANCE_H

#include "report/compare/sets.h"

/*
 * What can disturb a sample (lib/event_counts.inc): its name in a row's `counts`, and in words. The
 * line EVENT(SMIS, smis, DISTURBS, "SMIs") becomes DISTURBS(SMIS), that is DISTURBER_SMIS; a line
 * of the kind MEASURES becomes nothing.
 */
#define DISTURBS(NAME) DISTURBER_##NAME,
#define MEASURES(NAME)
enum disturber {
#define EVENT(NAME, name, kind, words) kind(NAME)
#include "lib/event_counts.inc"
#undef EVENT
	DISTURBERS
};
#undef DISTURBS
#undef MEASURES
extern const char *const disturber_keys[DISTURBERS];
extern const char *const disturber_words[DISTURBERS];

/* The limits of lib/noise_thresholds.inc, microseconds as text. */
enum {
	NOISE_THRESHOLDS = 0
#define NOISE_THRESHOLD(us, whose) +1
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
};
extern const char *const noise_threshold_us[NOISE_THRESHOLDS];

/* NAN: not known. */
struct disturbance {
	double samples, disturbed; /* of all rows */
	double events[DISTURBERS]; /* during the samples, by what disturbed them */
	double involuntary;        /* context switches forced on the thread in the whole runs */
	double steal_s;            /* taken by the hypervisor, seconds */
	double waited_s;           /* the thread was ready and others ran on its CPU, seconds */
	double seconds;            /* that all runs took together */
	double stolen_part;        /* of the time that `noise` `gaps` scanned in all runs, 0..1 */
	double stolen_low, stolen_high; /* its 95 % interval over runs; of a single one unknown */
	double scanned_s;               /* by `noise` `gaps` in all runs; 0: there was no scan */
	double longest_ns;              /* longest gap seen */
	double above[NOISE_THRESHOLDS]; /* gaps longer than each, per second scanned in all runs */
};

void disturbance_of(struct disturbance *, const struct set *);

/* Part of the samples that were disturbed, 0..1. */
double disturbed_part(const struct disturbance *);

/*
 * Whether others' work ran on the CPU, by what the run says of itself: more than 1 % of the time
 * scanned was stolen (the timer tick of an untuned Linux and the like take 0.3 %), or the thread
 * waited for more than 1 % of the run, or more than 10 context switches were counted during the
 * samples and these are more than 5 per 1000 samples.
 */
bool was_disturbed(const struct disturbance *);

/* Whether b was so much more disturbed than a that its numbers may come from that. */
bool more_disturbed(const struct disturbance *a, const struct disturbance *b);

#endif
