/* SPDX-License-Identifier: MIT */
/* Compares the summary of a result with the parameters of the machine, one line for each. */
#ifndef TESTS_KAM_JUDGE_CHECK_H
#define TESTS_KAM_JUDGE_CHECK_H

/*
 * 0: every value is within its tolerance, or correctly not resolved; 1: at least one is not. A file
 * that cannot be read ends the program.
 */
int check_result(const char *ini, const char *result);

/*
 * Prints each resolved value that has a truth, a line each: NAME CONFIDENCE right|wrong VALUE LOW
 * HIGH TRUTH, nan where there is none. Right: the truth is in low..high or, of a value without it,
 * within the tolerance; how narrow a bracket is does not matter. 0; 1: the file has damaged lines.
 * A file that cannot be read ends the program.
 */
int print_values(const char *ini, const char *result);

#endif
