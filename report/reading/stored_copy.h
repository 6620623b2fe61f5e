/* SPDX-License-Identifier: MIT */
/* A result that room `bare` stored in variables, perhaps thinned, against the whole one. */
#ifndef REPORT_READING_STORED_COPY_H
#define REPORT_READING_STORED_COPY_H

#include <stddef.h>

/*
 * Whether `stored` is what the program makes of the run `whole` when it stores it: the same bytes,
 * or those of one of the levels of lib/thin.h. NULL if so, else the reason why not.
 */
const char *stored_copy_wrong(const char *whole, size_t n, const char *stored, size_t bytes);

#endif
