/* SPDX-License-Identifier: MIT */
/*
 * The display above the text: while a room runs, its running row and its progress; at the end the
 * card and the pictures. It draws only when it is called, which is between rows, and does nothing
 * if there is no display to draw on.
 */
#ifndef KERNEL_DASHBOARD_DASHBOARD_H
#define KERNEL_DASHBOARD_DASHBOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/infer/card.h"
#include "kernel/dashboard/end_layout.h"
#include "kernel/machine.h"

/*
 * Set the memory for pictures: while rooms run, and at the end, when nothing is measured any more.
 */
void dashboard_setup(const struct span *running, const struct span *end);

/* A room begins; room: "room bare, 2 of 2". The text must stay. */
void dashboard_open(const char *room);
/*
 * A result line has come: text is all lines of the room so far, its last n bytes are the new line.
 */
void dashboard_line(const char *text, size_t bytes, size_t n);
/* Show progress, as room->progress (engine/room.h). */
void dashboard_progress(const char *text, size_t n, double part);
/* Give the whole display to text until the next room, so that this text can be read. */
void dashboard_close(void);

/* Set the lines of the result that the end screen shows; they must stay. */
void dashboard_result(const char *text, size_t n);
const char *dashboard_lines(size_t *n);
/*
 * Set a function that prints lines of at most 79 columns below the card, from now on; NULL: none. A
 * display that is too low does not show them.
 */
void dashboard_below(void (*print)(card_say *say, void *to));
/* Pixels of a module of the code, on the end screen and when shown alone; 0: none. */
struct code_dots {
	int shown, alone;
};
/*
 * Show the end screen, with text below it, and with the code for a camera, which must stay; NULL:
 * none. Returns false if there is no display or no result, or if the dashboard was closed.
 */
bool dashboard_end(const struct qr_modules *, struct code_dots *);
/* Show the code alone in place of the end screen; if it does not fit, the end screen stays. */
void dashboard_code_alone(void);

#endif
