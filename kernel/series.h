/* SPDX-License-Identifier: MIT */
/*
 * The key `runs`: the number of unattended runs of each room. Run 1 is the rooms that the key
 * `rooms` names, each with a result file of its own; then the machine is reset, and the next start
 * measures the same rooms as run 2. If room bare's result comes home by a reset, that start also
 * harvests it.
 *
 * The journal has the run under way (kernel/journal.h, struct run_series). These events change it:
 *
 *	a start to measure, and no series  run 1, and how its files' names begin
 *	a start to measure                 one more that the run under way had
 *	the run is over                    the next run; after the last, no series
 *	STARTS_MAX starts did not end it   the next run: this one is left out
 *	Esc, another configuration, a result that cannot come home, counts that cannot be written
 *	                                   no series: the run under way is the last one
 *
 * A run is over when its last result has come home, or if its last room is left out. The power may
 * fail at any moment: a room whose whole file is there is not measured again; the others are. So a
 * series that nobody ends has one result of each room and run, and at most STARTS_MAX starts for
 * each run.
 */
#ifndef KERNEL_SERIES_H
#define KERNEL_SERIES_H

#include <stdbool.h>

#include "kernel/config.h"
#include "kernel/machine.h"

#define STARTS_MAX 4 /* one more than entries of room bare, which is left out first */

/*
 * Call this after journal_open: go on with the series that is under way; its choices go into the
 * config.
 */
void series_open(const struct machine *, struct config *);
/*
 * End the run. Returns false if there is no next one; else the state is as in a start that begins
 * with it.
 */
bool series_next(void);
/* Returns true if a run follows this one. */
bool series_goes_on(void);
/* Seconds, about, for all rooms that are left, after `done` rooms of the run under way. */
double series_seconds(unsigned done);
/* Print the same as a line, with the number of the run; nothing for a single run. */
void series_say(unsigned done);
/*
 * Before the first room, whose file it names: begin a series, or count this start. Returns false if
 * nothing is left to be measured.
 */
bool series_begin(void);
/* Make the run under way the last one; say so, and why. */
void series_end(const char *why);

#endif
