/* SPDX-License-Identifier: MIT */
/*
 * Makes a run's lines smaller, so that they fit where space is precious: a text transformation that
 * leaves a valid run (line numbers, counts and check sums made anew) whose end line says what is
 * missing, in `thinned` (docs/format.md).
 *
 * level 0: the sample arrays (`values`, `flags`) go
 * level 1: also what single probes add (`more`)
 * level 2: also `skip` lines and every second row of a sweep
 * level 3, 4, ...: of the rows of a sweep only every 4th, 8th, ... is kept
 * THIN_MOST: all rows but those at canonical sizes (`level`) go
 *
 * A sweep is a run of rows of the same probe and variant; its first row always stays, and so do
 * rows with a `level`.
 */
#ifndef LIB_THIN_H
#define LIB_THIN_H

#include <stddef.h>

#define THIN_MOST 8

/*
 * Writes the thinned run to out and returns its length; 0 if it does not fit into `bytes` or the
 * text is not one whole run from its `run` to its `end` line. `why` goes into `thinned`.
 */
size_t thin(const char *text, size_t n, unsigned level, const char *why, char *out, size_t bytes);

#endif
