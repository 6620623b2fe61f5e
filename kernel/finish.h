/* SPDX-License-Identifier: MIT */
/* The end of a run: its last screen, and the actions of the configuration's key `finish`. */
#ifndef KERNEL_FINISH_H
#define KERNEL_FINISH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/config.h"
#include "kernel/firmware/acpi.h"
#include "kernel/machine.h"

/*
 * Call this first of all. Sets the machine whose resets are counted, and the length of countdowns.
 */
void finish_open(const struct machine *, const struct config *);
/*
 * Before room bare, if its result will not be stored: note that the run may end in a reset there,
 * where no file can be written.
 */
void finish_before_exit(void);
/* After a room in which a fault happened: reset or halt if the key `fault` says so, else return. */
void finish_after_fault(void);
/* A result that was to be stored is only on the screen, and why: halt, so that it can be read. */
void finish_undelivered(const char *why) __attribute__((noreturn));
/*
 * Halt with the result on the screen; it is stored, too, and stays there. why: no start makes a
 * file of it.
 */
void finish_kept(const char *why) __attribute__((noreturn));
/*
 * At the end: do what `finish` says, unless reset_guard forbids it. Returns only to go back to the
 * firmware.
 */
void finish_run(void);
/*
 * After room bare's result was stored: say what will happen, count down (a key holds it) and reset
 * the machine.
 */
void finish_stored(void) __attribute__((noreturn));
/*
 * Like finish_stored, between two runs of a series of which no result waits: the next start is the
 * next run.
 */
void finish_between(void) __attribute__((noreturn));
/* Set BootNext, so that a reset brings this machine back to this medium; say so if it may not. */
void finish_way_home(void);
/*
 * Set the file in \results\ with the result that this start harvested: the last screen names it,
 * unless the start measures something itself.
 */
void finish_names(const char *file);
/* After a fault that cannot be recovered from: halt, so that the screen can be read. */
void stop_after_fatal_fault(void) __attribute__((noreturn));

#endif
