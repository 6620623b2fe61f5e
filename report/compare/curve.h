/* SPDX-License-Identifier: MIT */
/* What a row's neighbours on its curve say: rows that differ from it in one swept parameter. */
#ifndef REPORT_COMPARE_CURVE_H
#define REPORT_COMPARE_CURVE_H

#include "report/compare/sets.h"

/*
 * Whether `value` lies between the medians of the row's two neighbours, at most an octave away,
 * where the curve is not straight (in logarithms, by more than `noise`): on an edge or a knee.
 * There a row says no more than that an edge lies within a step of the grid.
 */
bool curve_holds(const struct set *, const struct pooled *row, double value, double noise);

/*
 * How far two measurements of the row may lie apart, as a part of it, by how much the curve
 * scatters around itself: each of its points lies elsewhere in memory and in the predictors, as it
 * does in another run. The seven nearest points are looked at; an edge, which bends the curve at
 * two of them, does not count. 0: the curve is too short to tell.
 */
double curve_scatter(const struct set *, const struct pooled *row);

#endif
