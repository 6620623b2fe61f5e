/* SPDX-License-Identifier: MIT */
#include "linux/boot/reason.h"

#include <stdarg.h>
#include <stdio.h>

int give_reason(char *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err, REASON_BYTES, format, args);
	va_end(args);
	return -1;
}
