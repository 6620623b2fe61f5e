/* SPDX-License-Identifier: MIT */
/* One row: prepare, warm up, prove, repeat, and the statistics of its samples. */
#ifndef ENGINE_MEASURE_H
#define ENGINE_MEASURE_H

#include "engine/bench.h"
#include "engine/emit.h"
#include "engine/row_samples.h"

enum measured {
	MEASURED_OK,
	MEASURED_SKIPPED, /* job->skip says why */
	MEASURED_WRONG,   /* the loop did not return what plain C predicts; job->skip says which */
};

/* Measures row within budget_ns, as far as the fewest samples allow; fills *r and *s. */
enum measured measure_row(struct bench *, const struct row *, double budget_ns, struct job *,
	struct samples *, struct result *);

/* Ticks of a loop that does nothing, median of 31 calls with these arguments. */
double measure_overhead(struct bench *, loop_fn *loop, const uint64_t args[LOOP_ARGS]);

/* Fills b->pace. Needs an arena. */
void measure_pace(struct bench *);

#endif
