/* SPDX-License-Identifier: MIT */
/* The image's result lines, and the member that says which machine they are of. */
#ifndef TESTS_KAM_RUN_SEAL_H
#define TESTS_KAM_RUN_SEAL_H

#include <stddef.h>
#include <stdio.h>

/*
 * Checks every line's CRC and each run's, adds `known_answer` to each run line, makes the CRCs
 * right again, and writes the whole. 0; 1: a row's proof failed; -1: there is no complete run in
 * it. A line that is damaged ends the program.
 */
int seal(const char *text, size_t n, const char *machine, FILE *out);

#endif
