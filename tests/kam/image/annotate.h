/* SPDX-License-Identifier: MIT */
/* Adds the name of the simulated machine to the result lines that the image wrote. */
#ifndef TESTS_KAM_IMAGE_ANNOTATE_H
#define TESTS_KAM_IMAGE_ANNOTATE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Checks the CRC of every line and of each run, adds the member `known_answer` to each run line,
 * computes the CRCs anew, and writes the result to the file. Returns 0; 1: the proof of a row
 * failed; -1: the text has no complete run. A damaged line ends the program.
 */
int annotate(const char *text, size_t n, const char *machine, FILE *out);

#endif
