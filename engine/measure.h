/* SPDX-License-Identifier: MIT */
/* Measure a row: prepare, warm up, prove, repeat, and compute the statistics of its samples. */
#ifndef ENGINE_MEASURE_H
#define ENGINE_MEASURE_H

#include "engine/bench.h"
#include "engine/emit.h"

/*
 * Statistics of a row's samples: the choice of those that its median is taken from, the decision
 * that more would not say more, and the numbers. Pure functions of the samples; docs/method.md,
 * "How a row is measured".
 */

/* The samples of the row being measured. */
struct samples {
	double values[SAMPLES_LIMIT];  /* in the row's unit, in the order taken */
	double control[SAMPLES_LIMIT]; /* what was subtracted; 0 where the value is no difference */
	double core_hz[SAMPLES_LIMIT]; /* core clock around each; 0 unknown */
	bool flagged[SAMPLES_LIMIT];   /* disturbed */
	unsigned n;
	unsigned from; /* those before it are of other placements; 0 when the row is done */
	double step;   /* the TSC's, in the row's unit: smaller differences are none; 0 not known */
	/* Those that the median is taken from: samples_choose. */
	unsigned chosen[SAMPLES_LIMIT];
	unsigned nchosen;
	double scratch[2][SAMPLES_LIMIT];
};

enum measured {
	MEASURED_OK,
	MEASURED_SKIPPED, /* job->skip says why */
	MEASURED_WRONG,   /* the loop did not return what plain C predicts; job->skip says which */
};

/*
 * Measures row within budget_ns, as far as the fewest samples allow; fills *r and *s. One that is
 * still being prepared or warmed up after cut_ns is skipped.
 */
enum measured measure_row(struct bench *, const struct row *, double budget_ns, double cut_ns,
	struct job *, struct samples *, struct result *);

/* Ticks of a loop that does nothing, median of 31 calls with these arguments. */
double measure_overhead(struct bench *, loop_fn *loop, const uint64_t args[LOOP_ARGS]);

#endif
