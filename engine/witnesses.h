/* SPDX-License-Identifier: MIT */
/*
 * Witnesses: several probes measure the same quantity of a machine. Where they differ, all that
 * they say of it is in doubt. docs/method.md, "Witnesses".
 */
#ifndef ENGINE_WITNESSES_H
#define ENGINE_WITNESSES_H

#include "engine/find.h"

/*
 * Compares what the run's rows and values say of each quantity (after find_all), lowers the
 * confidence of the values where they differ by more than they may and than their losses of
 * confidence allow, and notes the two that are farthest apart in their `disputed`. Where the size
 * and the ways of L1 tell that another thread uses the core, the confidence of both and of the
 * window is halved, and their `disputed` says so.
 */
void witnesses_compare(struct bench *);

#endif
