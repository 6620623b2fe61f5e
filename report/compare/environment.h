/* SPDX-License-Identifier: MIT */
/* The circumstances of sets of runs: in what they differ, the core clock, what disturbed them. */
#ifndef REPORT_COMPARE_ENVIRONMENT_H
#define REPORT_COMPARE_ENVIRONMENT_H

#include "report/compare/sets.h"

/* One difference: what, and the value in each set ("-" where it is not known). */
struct difference {
	char *key;     /* path in the run line: "cpu.microcode" */
	char **values; /* [sets] */
	bool speed;    /* known in every set, and it decides how fast the machine runs */
};

struct environment {
	struct difference *differences; /* those that decide the speed first */
	size_t n, nspeed;               /* in all; of them, how many decide the speed */
	char **warnings; /* what forbids or limits the comparison, for large letters */
	size_t nwarnings;
};

#define DIFFERENCE_WORDS 96

/* The difference in words ("microcode"), else its key. */
void difference_words(const struct difference *, char out[DIFFERENCE_WORDS]);

/* Which rows it touches, of one that decides the speed; else "". */
const char *difference_touches(const struct difference *);

void environment_compare(struct environment *, const struct sets *);
void environment_free(struct environment *, const struct sets *);

/* The core clock in a comparison: what it was, and which rows it paces. */

/* Clocks that differ by no more than this part are called the same: they are no more exact. */
#define CLOCKS_ALIKE 0.01

/* Hz around the samples of a set's rows; without rows that say it, at the start of its runs. */
struct set_clock {
	double median, low, high; /* NAN: not known */
};

struct set_clock set_clock_of(const struct set *);

/* Whether the two are known and differ by more than CLOCKS_ALIKE. */
bool clocks_differ(const struct set_clock *a, const struct set_clock *b);

/*
 * Whether two rows of one measurement are compared in core cycles: the core paces both, the clock
 * of both is known, and the unit is one that has cycles.
 */
bool both_core_paced(const struct set *, const struct pooled *, const struct set *,
	const struct pooled *);

/* What the unit is in core cycles: "ns/load" "cy/load", "GB/s" "B/cy"; "" for others. */
void cycle_unit(const char *unit, char out[24]);
/* The value, of such a unit, at a clock of `hz`. */
double in_cycles(const char *unit, double value, double hz);

/* What disturbed the samples of a set of runs. */

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
