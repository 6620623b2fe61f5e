/* SPDX-License-Identifier: MIT */
/*
 * Text for people. While the firmware lives it goes through the firmware's console only, which
 * mirrors it to serial itself (raw bytes on the same port would double every line); afterwards to
 * our own screen and serial port, as far as there are any.
 */
#ifndef KERNEL_CONSOLE_CONSOLE_H
#define KERNEL_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/machine.h"

/* memory: screen_memory() bytes. screen and serial: whether they may be used after the exit. */
void console_setup(const struct framebuffer *, void *memory, bool screen, bool serial);
/* From now on our own screen and serial. */
void console_take_over(void);
/* Whether anything is shown to anybody after the exit. */
bool console_visible(void);

void console_write(const char *text, size_t n);
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * A line of at most 79 columns that the next progress or text replaces. Shown at most five times a
 * second: the firmware's console is slow.
 */
void console_progress(const char *text, size_t n);
/* One line of results onto raw serial (kernel/console/serial.h), not the screen. After the exit only. */
void console_result(const char *line, size_t n);
/* Raw serial and screen, whatever the state: nothing else works any more. */
void console_emergency(const char *text, size_t n);
/* Ticks per second, once known, for the pace of progress lines. */
void console_set_tsc_rate(double tsc_hz);

#endif
