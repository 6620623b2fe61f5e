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
 * Call this after serial_choose. `use`: the serial port may be used. If the firmware has no
 * console, the port is used at once, and shows the text so far (its first 1024 bytes).
 */
void console_choose_serial(bool use);
/* Bytes of memory needed for the characters on the display. */
size_t console_memory(const struct framebuffer *);
/* memory: console_memory() bytes. screen: the display may be used after ExitBootServices. */
void console_setup(const struct framebuffer *, void *memory, bool screen);
/* After ExitBootServices: print by the kernel's own screen and serial drivers from now on. */
void console_take_over(void);

void console_write(const char *text, size_t n);
/* console_write as a card_say function, for code that prints through a callback. */
void console_say(void *, const char *text, size_t n);
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * A line of at most 79 columns that the next progress or text replaces. It is skipped when the last
 * one is less than 0.2 s old, because the firmware's console is slow.
 */
void console_progress(const char *text, size_t n);
/*
 * Returns true if result lines have somewhere to go: raw serial. Before ExitBootServices this opens
 * the port, which the firmware's console may use as well: nothing of it is written while lines are.
 */
bool console_sends_results(void);
/* Print text on the serial port alone, by the same rules. */
void console_serial(const char *text, size_t n);
/* Send a result line to raw serial (kernel/console/serial.h) only. */
void console_result(const char *line, size_t n);
/*
 * Restrict text to the last rows of the display from now on: a part of them, within these limits.
 * The caller draws on the rest, which is empty. Before ExitBootServices this takes the display from
 * the firmware's console. Returns false if no display can be ours, or if it is too small.
 */
bool console_share(unsigned least, unsigned most, struct canvas *);
/* Bring what was drawn there onto the display: needed where only the firmware's Blt reaches it. */
void console_show(const struct area *);
/* Let text use the whole display again. */
void console_unshare(void);
/* Before the exit: give the display back to the firmware. */
void console_give_back(void);
/* Print on raw serial port and screen, in any state: after a fault without return. */
void console_emergency(const char *text, size_t n);

#endif
