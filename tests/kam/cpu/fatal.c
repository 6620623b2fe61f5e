/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/kam/cpu/fatal.h"

void fatal(const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("kam: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(3);
}
