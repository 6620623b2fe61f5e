/* SPDX-License-Identifier: MIT */
/* What one pays for asking the system, in a line. */
#ifndef REPORT_ASKING_H
#define REPORT_ASKING_H

#include <stdio.h>

#include "report/sets.h"

/*
 * "Asking Linux (B): system call 112 ns, context switch 1.90 us, ..." of a set, by what its runs
 * measured with probe `oscost`; nothing if they did not, or if the set is EMULATED. letter: what
 * the set is called by.
 */
void print_asking(const struct set *, char letter, FILE *out);

#endif
