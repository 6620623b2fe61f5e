/* SPDX-License-Identifier: MIT */
/* Compares sets of runs row by row, each with the first set. */
#ifndef REPORT_COMPARE_COMPARE_H
#define REPORT_COMPARE_COMPARE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linux/report/compare/sets.h"
#include "linux/report/compare/statistics.h"

/* Circumstances of sets of runs: their differences, the core clock, the disturbances. */

/* One difference: its key, and the value in each set ("-" if unknown). */
struct difference {
	char *key;     /* path in the run line: "cpu.microcode" */
	char **values; /* [sets] */
	bool speed;    /* known in every set, and decides how fast the machine runs */
};

struct environment {
	struct difference *differences; /* those that decide the speed come first */
	size_t n, nspeed;               /* number in all; number of those that decide the speed */
	char **warnings; /* reasons that forbid or limit the comparison, for large letters */
	size_t nwarnings;
};

enum { DIFFERENCE_WORDS = 96 }; /* bytes */

/* The difference in words ("microcode"), else its key. */
void difference_words(const struct difference *, char out[DIFFERENCE_WORDS]);

/* The rows that it affects, if it decides the speed; else "". */
const char *difference_touches(const struct difference *);

/* Disturbances of the samples of a set of runs. */

/*
 * Events that can disturb a sample (lib/event_counts.inc): the name in a row's `counts`, and in
 * words. The line EVENT(SMIS, smis, DISTURBS, "SMIs") becomes DISTURBS(SMIS), that is
 * DISTURBER_SMIS; a line of the kind MEASURES becomes nothing.
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

/* NAN: unknown. */
struct disturbance {
	double samples, disturbed; /* of all rows */
	double events[DISTURBERS]; /* during the samples, by event */
	double involuntary;        /* context switches forced on the thread in the whole runs */
	double steal_s;            /* taken by the hypervisor, seconds */
	double waited_s;           /* the thread was ready and others ran on its CPU, seconds */
	double seconds;            /* of all runs together */
	double stolen_part;        /* of the time that `noise` `gaps` scanned in all runs, 0..1 */
	double stolen_low, stolen_high; /* its 95 % interval over runs; unknown for a single run */
	double scanned_s;               /* by `noise` `gaps` in all runs; 0: no scan */
	double longest_ns;              /* longest gap seen */
	double above[NOISE_THRESHOLDS]; /* gaps longer than each, per second scanned in all runs */
};

/* --- the comparison --- */

/* The verdict on a row in a set, against the first set: effects.h describes it. */
enum verdict {
	VERDICT_UNKNOWN, /* cannot tell */
	VERDICT_SAME,
	VERDICT_SLOWER,
	VERDICT_FASTER,
	VERDICT_MORE, /* for units that are no speed */
	VERDICT_LESS,
	VERDICTS
};
extern const char *const verdict_names[VERDICTS];

/* Reasons for a difference other than the compared thing; the verdict is unknown then. */
enum because {
	BECAUSE_NOTHING,
	BECAUSE_CLOCK, /* a time lies between 0 and the difference of the core clocks */
	BECAUSE_EDGE,  /* an edge of its curve moved by a step of the grid (effects.c) */
};

/* One row in one set, against the first set. */
struct cell {
	const struct pooled *row; /* NULL: the set does not have it */
	bool cycles;              /* compared in core cycles: the core paces the row in both */
	bool exact;               /* page size and bytes are also those of the first set */
	bool difference;          /* the row has no true zero: compared as a difference */
	double ratio;             /* to the first set; NAN: a difference, or unknown */
	double change;            /* minus the first set's, in the row's unit; NAN: a ratio */
	double low, high;         /* 95 % interval of the ratio or of the change; NAN: unknown */
	double slower;            /* slowdown, 1 = as fast; NAN: the unit is no speed */
	struct effect effect;     /* logarithms; for a change, parts of its whole (effects.c) */
	enum verdict verdict;
	enum because because;
	double runs; /* runs a side that would decide; NAN: more than RUNS_MOST */
};

struct compared {
	char *label;
	const char *probe, *unit;
	struct cell *cells; /* [sets] */
};

/* The cost of a set against the first one, over all rows that are times or rates. */
struct set_cost {
	size_t rows;               /* compared exactly */
	size_t verdicts[VERDICTS]; /* of these rows */
	size_t clock, edge;        /* rows that are unknown for these reasons */
	size_t events;             /* rows in both that are neither times nor rates */
	size_t loose;              /* rows left out: page size or bytes differ */
	size_t alone;              /* rows that only one of the two sets has */
	size_t rows_cycles;        /* of `rows`, compared in core cycles; the others in time */
	double median_effect;      /* median slowdown; NAN: no rows, or the clocks differ */
	double median_cycles;      /* the same of the rows in core cycles; NAN: none */
	double median_time;        /* of the others */
	double tail_effect;        /* median of p99/min, divided by that of the first set; NAN */
	double worst;              /* largest slowdown of a row that is slower; 1 if none is */
};

/* Variances estimated from the rows that a set shares with the first one. */
struct lots {
	struct lot of[2];      /* of the first set, of this one */
	struct variance scale; /* effect_scale if one of them is a single run; else df 0 */
	double typical, most;  /* usual_factors of the rooms, as logarithms */
};

struct comparison {
	struct sets sets;
	double margin; /* smaller differences count as the same, as a part: 0.02 */
	struct environment environment;
	struct compared *rows; /* in the order of the first set */
	size_t nrows;
	struct set_clock *clocks;         /* [sets] */
	struct set_cost *costs;           /* [sets], the first unused */
	struct lots *lots;                /* [sets], the first unused */
	struct disturbance *disturbances; /* [sets] */
};

#define MARGIN_DEFAULT 0.02

/* Compare pooled sets; comparison_free frees them, too. margin: above 0, a part. */
void compare_sets(struct comparison *, struct sets, double margin);
void comparison_free(struct comparison *);

/*
 * The rows of `noise` and counts are events, neither times nor rates; they are listed separately.
 */
static inline bool is_event(const struct compared *row)
{
	return !strcmp(row->probe, "noise") || unit_better(row->unit) == BETTER_NEITHER;
}

/* Returns true if the row is a time or a rate that the set has, too. */
static inline bool row_counts(const struct compared *row, const struct cell *cell)
{
	return cell->row && !isnan(cell->slower) && !is_event(row);
}

/*
 * Write the indices of the rows in which set s is slower, the slowest first, to out[nrows]; returns
 * how many.
 */
size_t worst_rows(const struct comparison *, size_t s, size_t *out);

/*
 * Print the answer first, at most 40 lines for two sets; all: then every circumstance and row, too.
 */
void comparison_print(const struct comparison *, bool all, FILE *out);
void comparison_print_json(const struct comparison *, FILE *out);

#endif
