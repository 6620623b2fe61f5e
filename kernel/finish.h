/* SPDX-License-Identifier: MIT */
/* The end of a run: its last screen, and what the key `finish` of the configuration says. */
#ifndef KERNEL_FINISH_H
#define KERNEL_FINISH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/config.h"
#include "kernel/firmware/acpi.h"
#include "kernel/machine.h"

/* First of all: the machine whose resets are counted, and how long a person may look. */
void finish_open(const struct machine *, const struct config *);
/*
 * Before room bare, where its result will not be stored: notes that the run may end in a reset
 * there, where no file can be written.
 */
void finish_before_exit(void);
/*
 * After a room in which a fault happened: resets or halts if the key `fault` says so, or returns.
 */
void finish_after_fault(void);
/* A result that was to be stored is only on the screen, and why: halts, so that it can be read. */
void finish_undelivered(const char *why) __attribute__((noreturn));
/* The same where the result is stored and stays there: why no start makes a file of it. */
void finish_kept(const char *why) __attribute__((noreturn));
/*
 * At the end: does what `finish` says, unless reset_guard forbids it. Returns only to go
 * back to the firmware.
 */
void finish_run(void);
/*
 * After room bare's result was stored: says what will happen, counts down, which a key holds, and
 * resets the machine.
 */
void finish_stored(void) __attribute__((noreturn));
/* The same between two runs of a series, where no result waits: the next start is the next run. */
void finish_between(void) __attribute__((noreturn));
/* BootNext, so that a reset brings this machine back to this medium; says so if it may not. */
void finish_way_home(void);
/*
 * The file in \results\ that has what this start brought home: the last screen names it, unless the
 * start measures something itself.
 */
void finish_names(const char *file);
/* After a fault that there is no return from: halts, so that the screen can be read. */
void stop_after_fatal_fault(void) __attribute__((noreturn));

#endif
