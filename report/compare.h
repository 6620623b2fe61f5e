/* SPDX-License-Identifier: MIT */
/* Compares sets of runs row by row, each with the first set. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stdio.h>

#include "report/disturbance.h"
#include "report/environment.h"

/* One row in one set, against the first set. */
struct cell {
	const struct pooled *row; /* NULL: the set does not have it */
	double ratio;             /* median / median of the first set; NAN: none */
	double low, high;         /* 95 % interval of the ratio; NAN: unknown */
	double slower;            /* slowdown, 1 = as fast; NAN: the unit is no speed */
	double noise;             /* difference of medians that says nothing, 0.03 = 3 % */
	bool same;                /* within noise: noise.h */
	bool clock;               /* the same but for the core clock, which moved */
	bool edge;                /* the same but for where an edge of its curve lies */
	bool exact;               /* also the page size and the bytes are those of the first set */
};

struct compared {
	char *label;
	const char *probe, *unit;
	struct cell *cells; /* [sets] */
};

/* What a set costs against the first one, over all rows that are times or rates. */
struct cost {
	size_t rows, same, slower, faster; /* rows compared exactly; answers */
	size_t clock, edge;                /* of those the same, how many but for that: cell */
	size_t events;                     /* rows in both that are no speeds: noise, counts */
	size_t loose;                      /* rows left out: other page size or other bytes */
	size_t alone;                      /* rows of either set that the other one does not have */
	double median_effect;              /* median slowdown; NAN: no rows */
	double tail_effect;                /* median of p99/min, over that of the first set; NAN */
	double worst; /* largest slowdown that is not within noise; 1 if none */
};

struct comparison {
	struct sets sets;
	struct environment environment;
	struct compared *rows; /* in the order of the first set */
	size_t nrows;
	struct cost *costs;               /* [sets], the first unused */
	struct disturbance *disturbances; /* [sets] */
};

/* Builds the comparison of sets (taken over, freed with it), which are already pooled. */
void compare_sets(struct comparison *, struct sets);
void comparison_free(struct comparison *);

/* Indices of rows by the slowdown of set s, worst first, those that are not within noise only;
 * returns how many; out has room for nrows. */
size_t worst_rows(const struct comparison *, size_t s, size_t *out);

/* p99 / min, NAN if unknown. */
double spread_of(const struct pooled *);

void comparison_print(const struct comparison *, FILE *out);
void comparison_print_json(const struct comparison *, FILE *out);

#endif
