/* SPDX-License-Identifier: MIT */
/*
 * A hang costs minutes: from before room firmware to the run's end a hardware watchdog resets the
 * machine that is not heard of for a time. It is fed between samples and in waits. UEFI's own timer
 * runs in room firmware as well: it counts only while the firmware has interrupts on, so it ends
 * hangs of the firmware's calls, where the machine has no other.
 *
 * Its reset cannot go on for ever: each run that it guards is counted as one that ends in a reset
 * (kernel/journal.h), which is taken back when it has ended well. Where that cannot be counted, or
 * after three of them in a row, it is not started.
 */
#ifndef KERNEL_WATCHDOG_WATCHDOG_H
#define KERNEL_WATCHDOG_WATCHDOG_H

#include "kernel/config.h"
#include "kernel/machine.h"

/*
 * After journal_open, on the kernel's page tables, with tsc_per_second known: looks which timer
 * there is, and says it; says also whether one ended the last start, and in which row. Takes a page
 * of the end of m->logs.
 */
void watchdog_open(struct machine *, const struct config *);
/* From now on a hang is a reset. The run takes about so many seconds, in which one counts. */
void watchdog_start(double run_seconds);
/* The run goes on. Cheap: the timer is fed at most eight times in its limit. */
void watchdog_feed(void);
/* What runs from now on, for the start that may follow its reset. NULL: nothing of note. */
void watchdog_during(const char *what);
/* The run has ended, whatever follows: all is as it was before watchdog_start. */
void watchdog_stop(void);

#endif
