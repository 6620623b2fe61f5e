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

/* The core clock in Hz by dependent adds: median of `times` chains. 0 if it cannot be told. */
double measure_core_hz(struct bench *, unsigned times);

/* Ticks of a loop that does nothing, median of 31 calls with these arguments. */
double measure_overhead(struct bench *, loop_fn *loop, const uint64_t args[LOOP_ARGS]);

/* Runs dependent adds until the core clock has stopped rising, at most 0.2 s. Sets b->core_hz. */
void measure_warm_core(struct bench *);

/* Fills b->pace. Needs an arena. */
void measure_pace(struct bench *);

#endif
