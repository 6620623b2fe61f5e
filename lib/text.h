/* SPDX-License-Identifier: MIT */
/* printf without a C library, by stb_sprintf. */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* As snprintf and vsnprintf; returns the length that would have been written. */
int text_format(char *out, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int text_vformat(char *out, size_t bytes, const char *format, va_list args);

/* The end of a noun behind a number: "" for 1, else "s". */
const char *text_plural(size_t n);

#endif
