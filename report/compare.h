/* SPDX-License-Identifier: MIT */
/* Compares sets of runs row by row, each with the first set. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stdio.h>

#include "report/set_clock.h"
#include "report/disturbance.h"
#include "report/environment.h"

/* One row in one set, against the first set. */
struct cell {
	const struct pooled *row; /* NULL: the set does not have it */
	bool cycles;              /* compared in core cycles: the core paces the row in both */
	double scale;             /* by which the row's values are multiplied for that, else 1 */
	double ratio;             /* median / median of the first set; NAN: none */
	double low, high;         /* 95 % interval of the ratio; NAN: unknown */
	double slower;            /* slowdown, 1 = as fast; NAN: the unit is no speed */
	double noise; /* difference of medians that repeated runs have, too; 0.03 = 3 % */
	bool same;    /* within noise: equivalence.h */
	bool clock;   /* in time, the same but for the core clock, which differs */
	bool edge;    /* the same but for the position of an edge of its curve */
	bool exact;   /* page size and bytes, too, are those of the first set */
};

struct compared {
	char *label;
	const char *probe, *unit;
	struct cell *cells; /* [sets] */
};

/* What a set costs against the first one, over all rows that are times or rates. */
struct cost {
	size_t rows, same, slower, faster; /* rows compared exactly; answers */
	size_t clock, edge;   /* how many of `same` are so but for the clock, for an edge */
	size_t events;        /* rows in both that are neither times nor rates */
	size_t loose;         /* rows left out: page size or bytes differ */
	size_t alone;         /* rows that only one of the two sets has */
	size_t rows_cycles;   /* of `rows`, compared in core cycles; the others in time */
	double median_effect; /* median slowdown; NAN: no rows, or the clocks differ */
	double median_cycles; /* the same of the rows in core cycles; NAN: none */
	double median_time;   /* of the others */
	double tail_effect;   /* median of p99/min, over that of the first set; NAN */
	double worst;         /* largest slowdown that is not within noise; 1 if none */
};

struct comparison {
	struct sets sets;
	struct environment environment;
	struct compared *rows; /* in the order of the first set */
	size_t nrows;
	struct set_clock *clocks;         /* [sets] */
	struct cost *costs;               /* [sets], the first unused */
	struct disturbance *disturbances; /* [sets] */
};

/* Compares pooled sets; comparison_free frees them, too. */
void compare_sets(struct comparison *, struct sets);
void comparison_free(struct comparison *);

/* Indices of the rows in which set s is slower by more than noise, the slowest first, into
 * out[nrows]; returns how many. */
size_t worst_rows(const struct comparison *, size_t s, size_t *out);

/* p99 / min, NAN if unknown. */
double spread_of(const struct pooled *);

void comparison_print(const struct comparison *, FILE *out);
void comparison_print_json(const struct comparison *, FILE *out);

#endif
