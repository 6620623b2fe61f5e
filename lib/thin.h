/* SPDX-License-Identifier: MIT */
/*
 * Makes the text of a run smaller if space is scarce. The outcome is a valid run (line numbers,
 * counts and checksums are new) whose end line says in `thinned` what is missing (docs/format.md).
 *
 * thinning level 0: without the sample arrays (`values`, `flags`)
 * 1: also without `skip` lines, the rows' numbers to four digits, and without numbers that
 *    say nothing of the machine (`min`, `mean`, `outliers`, `ops`, `overhead_ticks`, `undisturbed`,
 *    `at_seconds`, `counts`)
 * 2: also without the probes' sentences and the canonical sizes (`said`, `levels`)
 * 3: also without the numbers of single probes (`more`)
 * 4: also without `p10`, `p90`, `p99` and `max`
 * 5: also without every second row of a sweep
 * 6, 7, ...: of the rows of a sweep only every 4th, 8th, ... is kept
 * THIN_MOST: only the rows at canonical sizes (those with a `level`) are kept
 * THIN_CARD: no rows: only the values of the card, and the identity of run and machine
 *
 * A sweep is a run of rows of the same probe and variant; its first row always stays, and so do
 * rows with a `level`. A complete run that lost rows has the status `shortened`.
 */
#ifndef LIB_THIN_H
#define LIB_THIN_H

#include <stddef.h>

#define THIN_MOST 11
#define THIN_CARD (THIN_MOST + 1)

/*
 * Write the thinned run and a NUL to out and return its length; 0 if they do not fit into `bytes`
 * or the text is not one whole run from its `run` to its `end` line. `why` goes into `thinned`.
 */
size_t thin(const char *text, size_t n, unsigned level, const char *why, char *out, size_t bytes);

#endif
