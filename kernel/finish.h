/* SPDX-License-Identifier: MIT */
/* What the program does when it has finished: the key `finish` of the configuration. */
#ifndef KERNEL_FINISH_H
#define KERNEL_FINISH_H

#include "kernel/config.h"

/* First of all: the machine whose resets are counted, and how long a person may look. */
void finish_open(const struct machine *, const struct config *);
/* As soon as it is known: without it no time is noted with the count of resets. */
void finish_set_tsc_rate(double tsc_hz);
/*
 * Before room bare, where its result will not be stored: notes that the run may end in a reset
 * there, where no file can be written.
 */
void finish_before_exit(void);
/*
 * After a room in which a fault happened: resets or halts if the key `fault` says so, or returns.
 */
void finish_after_fault(const struct config *);
/* A result that was to be stored is only on the screen, and why: halts, so that it can be read. */
void finish_undelivered(const struct config *, const char *why) __attribute__((noreturn));
/*
 * At the end: does what `finish` says, unless kernel/reset_guard.h forbids it. Returns only to go
 * back to the firmware.
 */
void finish_run(const struct config *);
/*
 * After room bare's result was stored, before the reset: says what will happen, and counts down;
 * a key holds it.
 */
void finish_before_storing_reset(void);
/* After a fault that there is no return from: halts, so that the screen can be read. */
void stop_after_fatal_fault(void) __attribute__((noreturn));

#endif
