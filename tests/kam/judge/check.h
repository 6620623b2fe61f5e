/* SPDX-License-Identifier: MIT */
/* Compares the summary of a result with the parameters of the machine, one line for each. */
#ifndef TESTS_KAM_JUDGE_CHECK_H
#define TESTS_KAM_JUDGE_CHECK_H

/*
 * 0: every value is within its tolerance, or correctly not resolved; 1: at least one is not. A file
 * that cannot be read ends the program.
 */
int check_result(const char *ini, const char *result);

#endif
