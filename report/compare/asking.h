/* SPDX-License-Identifier: MIT */
/* What one pays for asking the system, in a line. */
#ifndef REPORT_COMPARE_ASKING_H
#define REPORT_COMPARE_ASKING_H

#include <stdio.h>

#include "report/compare/sets.h"

/*
 * "Asking Linux (B, one run): system call 112 ns, context switch 1.90 us, ..." of a set, by the
 * medians that its runs measured with probe `oscost`; of several runs the lowest and the highest.
 * Nothing if they did not measure it, or if the set is EMULATED. letter: what the set is called by.
 */
void print_asking(const struct set *, char letter, FILE *out);

#endif
