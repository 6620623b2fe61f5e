/* SPDX-License-Identifier: MIT */
/* Compares the summary of a result with what the machine is: a line per parameter. */
#ifndef TESTS_KAM_JUDGE_CHECK_H
#define TESTS_KAM_JUDGE_CHECK_H

/* 0: all recovered, or rightly not resolved; 1: something is wrong; ends the program otherwise. */
int check_result(const char *ini, const char *result);

#endif
