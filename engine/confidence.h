/* SPDX-License-Identifier: MIT */
/*
 * The confidence in a value, from its rows, and the rows that decide the place of an edge.
 * docs/method.md, "Confidence".
 */
#ifndef ENGINE_CONFIDENCE_H
#define ENGINE_CONFIDENCE_H

#include "engine/curve.h"

#define CONFIDENCE_LEAST 0.1
#define AGAIN_MOVED      8 /* times that a row is measured again, at most */

/* A value without a bracket. value NAN: MEASURED_NO_NUMBER. */
struct estimate plain_estimate(double value, double confidence);
/* Between 0.1 and 0.95: what rests on one row or one plateau is neither hopeless nor certain. */
double clamp_confidence(double confidence);
/*
 * Returns the confidence that a value loses if it rests on this row alone, 0 (none) to 1: for the
 * scatter of the samples, the share of disturbed ones, and the time that the disturbances took.
 */
double row_confidence_loss(const struct result *);
/*
 * Confidence that the points first..last of a curve lose: the median of their rows' losses, and
 * what the core clock differed by between these rows.
 */
double curve_confidence_loss(const struct curve *, unsigned first, unsigned last);
/*
 * The core clocks of the run's rows in Hz, 0 where none is known, and what their spread takes from
 * the confidence in one clock.
 */
struct run_clock {
	double low, median, high, loss;
};
struct run_clock run_clock(struct bench *);
/*
 * The confidence that a clock, or a time that scales with it, loses if its rows were measured at
 * `hz` and most rows of the run at another clock: 0 to 0.5; 0 where no clock is known.
 */
double other_clock_loss(struct bench *, double hz);
/*
 * A time that rests on the points first..last: less sure by curve_confidence_loss, and by what the
 * disturbances took, where most samples of most of these rows have one; for that alone it is not
 * below the least that is resolved.
 */
struct estimate time_on_curve(struct estimate, const struct curve *, unsigned first, unsigned last);
/* The estimate with its confidence times 1 - loss. */
struct estimate less_sure(struct estimate, double loss);
/*
 * An edge of the curve. If most samples of the row beyond it were disturbed, and the least one is
 * on this side of it, the bracket goes on to the next row that can be believed; without one, the
 * edge is not resolved. Its confidence is lowered by the rows in its bracket and the two beside it.
 * The reader notes the row that decides it: at the end of the run this is measured again, and then
 * may widen the bracket.
 */
struct estimate edge_of(struct reader *, const struct curve *, struct estimate);
/* Confidence in a median measured at one moment: 1 - row_confidence_loss, ONCE_MOST at most. */
double row_confidence(const struct result *);
/*
 * The median of a number of the only row of a variant over its moments, as sure as it was the same
 * at each. The reader notes the row: where edges are bisected it is measured again at the end. Not
 * a number: not known then.
 */
struct estimate row_estimate(struct reader *, const char *variant, row_number *);
/* Like row_estimate, for the row's core cycles. */
struct estimate row_cycles_estimate(struct reader *, const char *variant);

#endif
