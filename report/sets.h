/* SPDX-License-Identifier: MIT */
/*
 * Sets of runs, which are what is compared. A set is one room of one group of files; files that
 * differ only in a number at the end of their name ("quiet-1.ndjson", "quiet-2.ndjson") are
 * repeated runs of one group, and their samples are pooled.
 */
#ifndef REPORT_SETS_H
#define REPORT_SETS_H

#include "report/results.h"
#include "report/samples.h"

/* One row of a set: the samples of all its runs. */
struct pooled {
	const struct row_data *row; /* of the first run that has it */
	double *values; /* the samples that the medians are over, as taken; freed once ranked */
	size_t nvalues;
	struct samples samples; /* n = 0: some run was thinned */
	double *medians;        /* of each run; ascending once pooled */
	size_t nmedians;
	double n, all; /* those samples, and all, disturbed ones included */
	double median, min, p99, mad, disturbed;
	double core_hz; /* mean of the runs; NAN unknown */
	double scatter; /* between the runs: (largest - smallest median) / median */
};

struct set {
	char *group; /* file name as given, without ending and number */
	const char *room;
	const struct run_data **runs;
	size_t nruns;
	struct pooled *rows;
	size_t nrows;
	json_t *index; /* identity -> index into rows */
};

#define SETS_MOST 26 /* that can be compared: each is called by a letter */

struct sets {
	struct set *set;
	size_t n;
};

/* The group of a file: "a/quiet-2.ndjson" -> "a/quiet"; to be freed. */
char *file_group(const char *path);

/* What a set is called in a sentence: its group without the directory. */
const char *set_name(const struct set *);

/*
 * Adds the runs of a file (results stays the owner): to its group, or, if `separate`, to one of its
 * own.
 */
void sets_add(struct sets *, const struct results *, bool separate);
/* Pools the rows of every set. */
void sets_pool(struct sets *);
void sets_free(struct sets *);

/* The pooled row of that identity, or NULL. */
const struct pooled *set_find(const struct set *, const char *identity);

#endif
