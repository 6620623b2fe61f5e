/* SPDX-License-Identifier: MIT */
/*
 * From curves to numbers: pure functions on arrays, no engine, no clock, no CPUID. Each either
 * answers, with the bracket in which the truth lies and a confidence, or says why not; the
 * definitions are in docs/method.md, "summary".
 */
#ifndef INFER_INFER_H
#define INFER_INFER_H

#include <stdbool.h>

#include "lib/result_keys.h" /* NOT_MEASURED */

#define INFER_POINTS 192 /* longest curve */
#define INFER_STAIRS 6
#define PLACES       4

/* The reason of a value whose rows were measured, and say nothing that is a number. */
#define MEASURED_NO_NUMBER "measured, but gave no number"

struct curve_point {
	double x, y; /* x > 0, strictly ascending along a curve */
};

/* An answer; value NAN: not resolved, and reason says why. */
struct estimate {
	double value;
	double low, high;  /* low <= truth < high, as far as the grid tells; NAN: no bracket */
	double confidence; /* 0..1 */
	const char *reason;
	/* For a soft edge the x at which 10, 50 and 90 % of its rise are done; else 0. */
	double rise_10, rise_50, rise_90;
	bool edge; /* of a curve, whose rows may be measured again: set where the rows are known */
	double least; /* where it is not resolved, the value is so much at least; 0: not known */
};

/* An estimate without a value: the reason is printed in its place. */
struct estimate not_resolved(const char *reason);
/* One with a value, and low and high as above. */
struct estimate resolved(double value, double low, double high, double confidence);

/*
 * One plateau of a rising staircase, and the edge that ends it: the last x that costs as the level.
 * The top level has no edge.
 */
struct stair {
	bool hidden; /* a level too short to have a plateau: y is not known, its edge is */
	double y;    /* upper quartile over its flattest stretch, whose small end may lie lower */
	unsigned first, last; /* that stretch, indices into the curve */
	struct estimate edge;
	double below, next; /* neighbours on the curve: last x at its foot, first one above */
	double clean; /* last x that costs nothing more than the level, however slowly it rises */
	double part[PLACES]; /* may be soft: where its shape has to be known better; else 0 */
};

/* Rules for reading a staircase. */
struct staircase_rules {
	double offset;  /* added to every y before ratios are taken; > -min(y) */
	double rise;    /* levels differ by at least this factor (of y + offset), > 1 */
	double octaves; /* a plateau is at least so long, in octaves of x */
	bool steps;     /* levels need no plateau: each clear step is the end of one */
	double lost;    /* x counts entries: so many lost of all x show the edge; 0: x is a size */
};

struct staircase {
	unsigned count;
	struct stair level[INFER_STAIRS];
	bool rising;        /* the curve still rises after the last plateau: that has an edge too */
	double noise;       /* relative scatter of the points around the fitted staircase */
	const char *reason; /* why count is 0 */
};

/*
 * Reads a staircase: rising plateaus of y over x, both on a logarithmic scale. The edges may be
 * cliffs (LRU) or gradual (random and pseudo-LRU replacement, hashed sets), with noise of a few per
 * cent and isolated outliers. Returns the number of levels; 0 with a reason for a flat, a random or
 * a falling curve, or one of too few points.
 */
unsigned infer_staircase(const struct curve_point *curve, unsigned n,
	const struct staircase_rules *, struct staircase *out);

/*
 * Remove points that are negative or far below their predecessors from a curve of costs (core
 * cycles, which are differences), and end the curve before two such points in a row, unless two
 * that are none follow. Returns the number of points left at the start of the curve.
 */
unsigned infer_usable_costs(struct curve_point *curve, unsigned n);

/*
 * The cost of the level beyond the edge at x = `edge` where that level is too short for a plateau:
 * at the first point from which a second one, not close to it, costs the same. Not resolved: it
 * rises on.
 */
struct estimate infer_flat_beyond(const struct curve_point *curve, unsigned n, double edge);

extern const struct staircase_rules cache_rules; /* y: time per load, x: bytes */
extern const struct staircase_rules entry_rules; /* y: core cycles per operation, x: entries */

/* The resolution of an edge: x is from + k * grain, k = 0, 1, ... */
struct resolution {
	double from, grain;
	double ratio; /* the first x above an edge over the last one below it, at most */
};

/*
 * The x at which the bracket of an estimate is to be measured next: within its middle part the
 * simplest number, as a multiple of the grain. NAN: the bracket is as small as it has to be, or the
 * estimate is not resolved or has none.
 */
double infer_bisect_bracket(const struct estimate *, const struct resolution *);
/*
 * Write to next[max] the x to be measured next for all edges of a staircase. Returns their number;
 * 0: the edges are known to the resolution, or there are none.
 */
unsigned infer_bisect_staircase(const struct curve_point *curve, unsigned n,
	const struct staircase_rules *, const struct resolution *, double *next, unsigned max);

/*
 * The speed-up at which more lanes stop helping: x lanes, y speed-up over one lane. No speed-up is
 * above the number of lanes, so it is resolved only if clearly more lanes than that were tried.
 */
struct estimate infer_saturation(const struct curve_point *curve, unsigned n);

/*
 * A single step on a straight slope: x where y jumps (the last x before it is the value). Not
 * resolved if no jump stands out of the scatter.
 */
struct estimate infer_step(const struct curve_point *curve, unsigned n);

/*
 * A straight line that becomes steeper (or jumps): the last x on the first line. x: how many,
 * y: the cost of all of them together.
 */
struct estimate infer_bend(const struct curve_point *curve, unsigned n);

/*
 * The last x up to which a cost grows in proportion to x, before it is constant: x strides, y time
 * per touched byte. It is the unit of transfer.
 */
struct estimate infer_knee(const struct curve_point *curve, unsigned n);

/*
 * Find the first x of the low part, if a cost that is high at the small end falls for good to half
 * or less. Not resolved unless every x is clearly on one side of the fall.
 */
struct estimate infer_fall(const struct curve_point *curve, unsigned n);

/*
 * The last x at which a rising cost is nearer to its first value than to its last: the capacity
 * of a memory that is exceeded gradually. Not resolved while the cost still grows at the end.
 */
struct estimate infer_halfway(const struct curve_point *curve, unsigned n);
/*
 * Returns the estimate with the places of 10, 50 and 90 % of the rise, and the points around them
 * as its bracket, if the rise takes much of x; else unchanged.
 */
struct estimate infer_soft_rise(const struct curve_point *curve, unsigned n, struct estimate);

/*
 * The last x below that at which the cost is still that of the level there: up to it nothing of
 * such a memory is lost. A lower level that ends before does not count as loss.
 */
struct estimate infer_perfect(const struct curve_point *curve, unsigned n);

/*
 * x passes, from 1 on; y the cost of that pass, which falls until all is learned. How many passes
 * that takes: the first one that costs as much as the last, less one.
 */
struct estimate infer_learned(const struct curve_point *curve, unsigned n);

/*
 * The period of n moments, ascending: nine in ten of the intervals at least are each a whole number
 * of periods, for some may not have been seen. In the unit of the moments; scratch[n].
 */
struct estimate infer_period(const double *at, unsigned n, double *scratch);

#endif
