/* SPDX-License-Identifier: MIT */
/* The console where the firmware gives its display away, and without a serial port. */
#ifndef TESTS_UNIT_GIVEN_DISPLAY_H
#define TESTS_UNIT_GIVEN_DISPLAY_H

#include "kernel/console/console.c"

const char *serial_open(void)
{
	return NULL;
}

bool serial_present(void)
{
	return false;
}

void serial_write(const char *text, size_t n)
{
}

void serial_result(const char *line, size_t n)
{
}

bool firmware_has_console(void)
{
	return true;
}

void firmware_print(const char *text, size_t n)
{
}

bool firmware_display_take(void)
{
	return true;
}

void firmware_display_give_back(void)
{
}

#endif
