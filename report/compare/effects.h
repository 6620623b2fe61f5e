/* SPDX-License-Identifier: MIT */
/*
 * What rows of two sets say of each other. The run is the unit: docs/method.md, "Comparing".
 *
 * A run gives one value of a row: the logarithm of its median; of a row without a true zero its
 * median as a part of what it is a difference of. The effect is the difference of the sets' means.
 * A set's variance of one run is taken from its runs, and drawn towards what all its rows have
 * (variance.h); with a single run it is the error of its median and what repeated runs are assumed
 * to differ by (assumed_noise.h), never zero. The interval and p are Student's, by Welch's
 * degrees of freedom.
 */
#ifndef REPORT_COMPARE_EFFECTS_H
#define REPORT_COMPARE_EFFECTS_H

#include "report/compare/compare.h"

/*
 * The values of a row's runs in out[nruns], and what is known of the variance of one: both as
 * logarithms (in core cycles where the cell is compared so), or as parts of `whole` where the row
 * is compared as a difference.
 */
struct variance row_values(const struct set *, const struct pooled *, const struct cell *,
	double whole, double *out);

/*
 * Fills the cells of set s and its lots; row, cycles and exact of the cells are known:
 * - same: the 95 % interval lies within the margin around no effect;
 * - slower, faster, more, less: p passes FALSE_MOST over all rows of the set (Benjamini and
 *   Hochberg 1995);
 * - unknown: neither; or what differs may be the clock's or an edge's work.
 */
void effects_find(struct comparison *, size_t s);

/*
 * The largest of n p that is called a difference, 0: none (Benjamini and Hochberg 1995). Sorts p.
 */
double largest_p(double *p, size_t n);

#define FALSE_MOST 0.01 /* of the rows called different, so many are not */

#endif
