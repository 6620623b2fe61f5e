/* SPDX-License-Identifier: MIT */
/*
 * What the display shows above the text: while a room runs, what runs and how far it is; at the end
 * the card and what was found. It draws only where it is called, which is between rows, and does
 * nothing where there is no display to draw on.
 */
#ifndef KERNEL_DASHBOARD_DASHBOARD_H
#define KERNEL_DASHBOARD_DASHBOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/infer/card.h"
#include "kernel/dashboard/end_layout.h"
#include "kernel/machine.h"

/*
 * Memory for pictures: while rooms run, and at the end, when nothing is measured any more.
 */
void dashboard_setup(const struct span *running, const struct span *end);

/* A room begins: "room bare, 2 of 2". The text must stay. */
void dashboard_open(const char *room);
/* The result lines of that room so far, of which the last n bytes are new: a line. */
void dashboard_line(const char *text, size_t bytes, size_t n);
/* As room->progress (engine/room.h). */
void dashboard_progress(const char *text, size_t n, double part);
/* Text everywhere again until the next room: what is said now must stay to be read. */
void dashboard_close(void);

/* The lines of the result that the end screen is about; they must stay. */
void dashboard_result(const char *text, size_t n);
const char *dashboard_lines(size_t *n);
/*
 * What prints lines of at most 79 columns below the card, from now on; NULL: nothing. A display
 * that is too low for them does not show them.
 */
void dashboard_below(void (*print)(card_say *say, void *to));
/* Pixels of a module of the code that the end screen shows, and of the code alone; 0: none. */
struct code_dots {
	int shown, alone;
};
/*
 * The end screen, with text below it, and with the code for a camera, which must stay; NULL: none.
 * false: there is no display, no result, or the dashboard was closed.
 */
bool dashboard_end(const struct code *, struct code_dots *);
/* The code alone in the end screen's place; without room for it, the end screen stays. */
void dashboard_code_alone(void);

#endif
