/* SPDX-License-Identifier: MIT */
/*
 * All that a run gives out: result lines, text for people, progress. A serial line takes 87 us a
 * byte at 115200 baud, and a stick tens of milliseconds a write, so that this time is counted apart
 * and is none of the profile's: the same rows are measured whatever the output goes to.
 */
#ifndef ENGINE_RUN_OUTPUT_H
#define ENGINE_RUN_OUTPUT_H

#include "engine/bench.h"

/* One result line with its newline. */
void output_line(struct bench *, const char *line, size_t n);
void output_text(struct bench *, const char *text, size_t n);
/* As room->progress (engine/room.h). Nothing in a room without progress. */
void output_progress(struct bench *, const char *text, size_t n, double part);

/* Time since the start of the run without what output took, and what it took, ns. */
double measuring_ns(const struct bench *);
double output_ns(const struct bench *);

#endif
