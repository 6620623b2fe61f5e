/* SPDX-License-Identifier: MIT */
/* How to follow the image on a machine without a display. */
#ifndef LINUX_BOOT_SERIAL_WATCH_H
#define LINUX_BOOT_SERIAL_WATCH_H

#include <stddef.h>
#include <stdio.h>

/* Says which serial port the image will use, by ACPI's SPCR table, and which one Linux uses. */
void serial_watch_say(FILE *out);
/*
 * The same from the bytes of that table (n 0: there is none) and Linux's command line, with lines
 * of at most 80 columns.
 */
void serial_watch_text(FILE *out, const unsigned char *spcr, size_t n, const char *command_line);

#endif
