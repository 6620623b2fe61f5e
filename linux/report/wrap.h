/* SPDX-License-Identifier: MIT */
/* Text in lines of a terminal. */
#ifndef REPORT_WRAP_H
#define REPORT_WRAP_H

#include <stdio.h>

#define WRAP_WIDTH 79

/*
 * Write words into lines of at most WRAP_WIDTH columns: the first begins with `start`, the others
 * are indented under it.
 */
void print_wrapped(FILE *out, const char *start, const char *text);

#endif
