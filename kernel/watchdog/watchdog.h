/* SPDX-License-Identifier: MIT */
/*
 * Without a watchdog a hang costs minutes. From before room firmware to the run's end a hardware
 * watchdog resets the machine if the program does not feed it for a time. It is fed between samples
 * and in waits. UEFI's own timer runs in room firmware as well: it counts only while the firmware
 * has interrupts on, so it ends hangs of the firmware's calls, on machines without another timer.
 *
 * Its resets cannot go on for ever: each run that it guards is counted as one that ends in a reset
 * (kernel/journal.h), and the count is taken back when the run has ended well. If that cannot be
 * counted, or after three of them in a row, the watchdog is not started.
 */
#ifndef KERNEL_WATCHDOG_WATCHDOG_H
#define KERNEL_WATCHDOG_WATCHDOG_H

#include "kernel/config.h"
#include "kernel/machine.h"

/*
 * Call this after journal_open, on the kernel's page tables, with tsc_per_second known: find a
 * timer and report it; report also whether it ended the last start, and in which row. Takes a page
 * of the end of m->logs.
 */
void watchdog_open(struct machine *, const struct config *);
/*
 * Start the watchdog: from now on a hang becomes a reset. run_seconds: about how long the run
 * takes.
 */
void watchdog_start(double run_seconds);
/* Tell it that the run goes on. Cheap: the timer is fed at most eight times in its limit. */
void watchdog_feed(void);
/* From now on at least so many seconds, if the timer has as many, may pass without feeding it. */
void watchdog_extend(unsigned seconds);
/*
 * Describe the step that runs from now on, for the start that may follow its reset. NULL: nothing
 * of note.
 */
void watchdog_during(const char *what);
/* The run has ended, whatever follows: restore the state before watchdog_start. */
void watchdog_stop(void);

#endif
