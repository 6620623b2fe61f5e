/* SPDX-License-Identifier: MIT */
/* What the loops of an image execute, against what their names promise. */
#ifndef TESTS_KAM_LOOPS_LOOP_CHECK_H
#define TESTS_KAM_LOOPS_LOOP_CHECK_H

/*
 * Decodes section .loops of an image, which must be built from the same sources as this program.
 * Prints a line for each loop; 1: at least one is wrong, else 0.
 */
int check_loops(const char *image);

#endif
