/* SPDX-License-Identifier: MIT */
/*
 * Sets of runs, the things that are compared. A set is one room of one group of files; files that
 * differ only in a number at the end of their name ("quiet-1.ndjson", "quiet-2.ndjson") are
 * repeated runs of one group. The run is the unit: a run gives one value of each row.
 */
#ifndef REPORT_COMPARE_SETS_H
#define REPORT_COMPARE_SETS_H

#include "linux/report/reading/results.h"

/* A run's value of a row; if it has the row twice, of both together. */
struct run_value {
	double median, tail; /* tail: p99 / min; NAN unknown */
	double error;        /* standard error of the median, in the row's unit */
	double spread;       /* deviation of a sample, by the MAD, as a part of the median */
	double n;            /* samples that the median is computed from */
	double core_hz;      /* NAN unknown */
};

/* One row of a set, with the values of its runs. */
struct pooled {
	const struct row_data *row; /* of the first run that has it; with a level if one has it */
	struct run_value *runs;     /* of the runs that have it */
	size_t nruns;
	double median;    /* geometric mean of the runs' medians; their mean if one is not > 0 */
	double tail;      /* median of the runs' tails */
	double disturbed; /* disturbed samples of all runs */
	double samples;   /* all samples of all runs */
	double core_hz;   /* mean of the runs; NAN unknown */
};

struct set {
	char *group; /* file name as given, without ending and number */
	const char *room;
	const struct run_data **runs;
	size_t nruns;
	size_t copies; /* runs left out, because a file with the same run came before */
	struct pooled *rows;
	size_t nrows;
	json_t *index; /* identity -> index into rows */
};

#define SETS_MOST 26 /* a letter names each set */

struct sets {
	struct set *set;
	size_t n;
};

/* The name of a set in a sentence: its group without the directory. */
const char *set_name(const struct set *);

/* Returns true if an emulator ran it: its timings mean nothing. */
bool is_emulated(const struct set *);

/* Returns true if the known-answer machine ran it, whose timings are those of its parameters. */
bool is_simulated(const struct set *);

/*
 * Returns true if both have the same run: their end lines, with the checksum of all lines, are
 * equal.
 */
bool same_run(const struct run_data *, const struct run_data *);

/*
 * Add the runs of a file (results stays the owner): to its group, or, if `separate`, to a group of
 * its own. A copy of a run that a set has already is only counted.
 */
void sets_add(struct sets *, const struct results *, bool separate);
/*
 * The sets of files: repeated runs are one set; but if that leaves only one set, each file is a
 * set, as they are the things to compare.
 */
struct sets sets_group(const struct results *files, size_t n);
/* Pool the rows of every set. */
void sets_pool(struct sets *);
void sets_free(struct sets *);

/* The pooled row of that identity, or NULL. */
const struct pooled *set_find(const struct set *, const char *identity);

/* The meaning of a row's unit. */

enum better {
	BETTER_LOW,     /* times */
	BETTER_HIGH,    /* rates */
	BETTER_NEITHER, /* counts, fractions, ...: not speeds */
};

enum better unit_better(const char *unit);

/* The core clock in a comparison: its value, and the rows that it paces. */

/* Clocks that differ by no more than this part count as equal: they are no more exact. */
#define CLOCKS_ALIKE 0.01

/* Hz around the samples of a set's rows; if no row has it, at the start of its runs. */
struct set_clock {
	double median, low, high; /* NAN: unknown */
};

/* Returns true if both are known and differ by more than CLOCKS_ALIKE. */
bool clocks_differ(const struct set_clock *a, const struct set_clock *b);

/*
 * Returns true if two rows of one measurement are compared in core cycles: the core paces both, the
 * clock of both is known, and the unit can be given in cycles.
 */
bool both_core_paced(const struct set *, const struct pooled *, const struct set *,
	const struct pooled *);

/* Write the unit in core cycles: "ns/load" "cy/load", "GB/s" "B/cy"; "" for others. */
void cycle_unit(const char *unit, char out[24]);
/* Convert a value in such a unit to cycles, at a clock of `hz`. */
double in_cycles(const char *unit, double value, double hz);

#endif
