/* SPDX-License-Identifier: MIT */
/*
 * Text for people. Before ExitBootServices it goes to the firmware's console only, which mirrors it
 * to the serial port itself (raw bytes on the same port would double every line), or, where the
 * firmware has no console, to the serial port only; afterwards to the kernel's own screen and
 * serial drivers, as far as there are devices.
 */
#ifndef KERNEL_CONSOLE_CONSOLE_H
#define KERNEL_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/machine.h"
#include "engine/room.h"
#include "page/picture/raster.h"

#define GLYPH_WIDTH  8
#define GLYPH_HEIGHT 16

/* The display above the text. */
struct canvas {
	struct raster raster;
	unsigned scale;    /* pixels per dot of the text below */
	int width, height; /* pixels */
};

/*
 * After serial_choose: whether the serial port may be used. Where the firmware has no console it is
 * used at once, and shows what was said so far (its first 1024 bytes).
 */
void console_choose_serial(bool use);
/* Bytes of memory for the characters on the display. */
size_t console_memory(const struct framebuffer *);
/* memory: console_memory() bytes. screen: whether it may be used after ExitBootServices. */
void console_setup(const struct framebuffer *, void *memory, bool screen);
/* After ExitBootServices: from now on by the kernel's own screen and serial drivers. */
void console_take_over(void);

void console_write(const char *text, size_t n);
/* The same, for what says its lines to somebody (card_say). */
void console_say(void *, const char *text, size_t n);
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of text, which is wrapped at 79 columns; the rest of it is indented. */
void console_line(const char *text);
/*
 * A line of at most 79 columns that the next progress or text replaces. It is skipped when the last
 * one is less than 0.2 s old, because the firmware's console is slow.
 */
void console_progress(const char *text, size_t n);
/*
 * Whether result lines have somewhere to go: raw serial. Before ExitBootServices this opens the
 * port, which the firmware's console may use as well: nothing of it is written while lines are.
 */
bool console_sends_results(void);
/* Text to the serial port alone, by the same rules. */
void console_serial(const char *text, size_t n);
/* A result line: to raw serial (kernel/console/serial.h) only. */
void console_result(const char *line, size_t n);
/*
 * Text only in the last rows of the display from now on: a part of them, within these limits. The
 * rest, which is empty then, is the caller's to draw on. Before ExitBootServices this takes the
 * display from the firmware's console. false: there is no display that can be ours, or it is too
 * small.
 */
bool console_share(unsigned least, unsigned most, struct canvas *);
/* What was drawn there is to be seen: needed where only the firmware's Blt reaches the display. */
void console_show(const struct area *);
/* Text everywhere again. */
void console_unshare(void);
/* Before the exit: the display is the firmware's again. */
void console_give_back(void);
/* Raw serial port and screen, in any state: after a fault without return. */
void console_emergency(const char *text, size_t n);

#endif
