/* SPDX-License-Identifier: MIT */
/* Compare the instructions of an image's loops with the rules of their names. */
#ifndef TESTS_KAM_LOOPS_LOOP_CHECK_H
#define TESTS_KAM_LOOPS_LOOP_CHECK_H

/*
 * Decodes section .loops of an image, which must be built from the same sources as this program.
 * Prints a line for each loop. Returns 1 if at least one is wrong, else 0.
 */
int check_loops(const char *image);

#endif
