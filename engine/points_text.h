/* SPDX-License-Identifier: MIT */
/* Rows that complete a curve which has been printed, a few in a line. */
#ifndef ENGINE_POINTS_TEXT_H
#define ENGINE_POINTS_TEXT_H

#include "engine/bench.h"

/*
 * Prints the results from `first` on in the order of their first parameter, those of one curve
 * together, under a line that says what they are; nothing where there are none.
 */
void say_points(struct bench *, unsigned first, const char *what);

#endif
