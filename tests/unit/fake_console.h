/* SPDX-License-Identifier: MIT */
/* A console of which a test reads what was said, for kernel/result/ and what uses that. */
#ifndef TESTS_UNIT_FAKE_CONSOLE_H
#define TESTS_UNIT_FAKE_CONSOLE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/console/console.h"
#include "kernel/console/serial.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/watchdog/watchdog.h"

static char said[1 << 16];
static void (*below)(card_say *say, void *to); /* of the last dashboard_below */

void watchdog_feed(void)
{
}

void console_printf(const char *format, ...)
{
	size_t used = strlen(said);
	va_list args;

	va_start(args, format);
	vsnprintf(said + used, sizeof said - used, format, args);
	va_end(args);
}

bool console_sends_results(void)
{
	return false;
}

void console_result(const char *line, size_t n)
{
}

bool serial_loses_bytes(void)
{
	return false;
}

void dashboard_result(const char *lines, size_t n)
{
}

void dashboard_below(void (*print)(card_say *say, void *to))
{
	below = print;
}

#endif
