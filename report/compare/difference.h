/* SPDX-License-Identifier: MIT */
/* Rows without a true zero: the difference of two measured times, which may be 0 or less. */
#ifndef REPORT_COMPARE_DIFFERENCE_H
#define REPORT_COMPARE_DIFFERENCE_H

#include "report/compare/sets.h"

/* `tlb` `cost`, `clock` `div3-...`, and any row of which a run has a median of 0 or less. */
bool is_difference(const struct pooled *);

/*
 * What a difference is a part of, in its unit, above 0: of `tlb` `cost` the latency of `spread`
 * that it was taken from, of the first set; of others the larger median of both.
 */
double whole_of(const struct set *base, const struct pooled *of_base, const struct pooled *other);

#endif
