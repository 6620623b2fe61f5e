/* SPDX-License-Identifier: MIT */
/*
 * Prints a message and ends the program with exit code 3: the simulator refuses what it does not
 * implement instead of approximating it.
 */
#ifndef TESTS_KAM_CPU_FATAL_H
#define TESTS_KAM_CPU_FATAL_H

void fatal(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
