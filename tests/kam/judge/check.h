/* SPDX-License-Identifier: MIT */
/* Compares the summary of a result with the parameters of the machine, one line for each. */
#ifndef TESTS_KAM_JUDGE_CHECK_H
#define TESTS_KAM_JUDGE_CHECK_H

/*
 * Returns 0 if every value is within its tolerance, or correctly not resolved; else 1. A file that
 * cannot be read ends the program.
 */
int check_result(const char *ini, const char *result);

/*
 * Prints a line for each resolved value that has a truth: NAME CONFIDENCE right|wrong VALUE LOW
 * HIGH TRUTH, with nan for a missing number. Right: the truth is in low..high or, for a value
 * without a bracket, within the tolerance; the width of a bracket does not matter. Returns 1 if the
 * file has damaged lines, else 0. A file that cannot be read ends the program.
 */
int print_values(const char *ini, const char *result);

#endif
