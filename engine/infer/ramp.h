/* SPDX-License-Identifier: MIT */
/* The edge of a table of entries, read from the ramp above it; private to engine/infer/. */
#ifndef INFER_RAMP_H
#define INFER_RAMP_H

#include "engine/infer/points.h"

/* A transition: points first..last, of which the first costs the level below. */
struct transition {
	unsigned first, last;
	unsigned plateau; /* first point of that level, */
	double level;     /* and its cost as the fit has it: a logarithm */
	bool whole;       /* it ends with a plateau, so that parts of its rise are known */
	double lost;      /* as in the rules: so many x that miss show; 0: parts of the rise */
};

/*
 * Read the edge of a table of entries from the ramp above point `at`, the last one on the level, if
 * the ramp is straight and begins there or one point below; e is then known to the entry. Returns
 * false if not: e stays as it is.
 */
bool infer_ramp(const struct fitted *, const struct curve_point *curve, const struct transition *,
	unsigned at, struct estimate *e);
/*
 * Returns the x at which the ramp's line begins, if that is farther below `at`; points must be on
 * it as nearly as RAMP_ERROR. NaN: there is none.
 */
double infer_line_begin(const struct fitted *, const struct curve_point *curve,
	const struct transition *, unsigned at);

#endif
