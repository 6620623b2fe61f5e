/* SPDX-License-Identifier: MIT */
/* What a run said beside its tables, from its end line. */
#ifndef LINUX_SHOW_FOUND_H
#define LINUX_SHOW_FOUND_H

#include "infer/card.h"
#include "report/reading/results.h"

/* The canonical sizes and their origin, on stdout; nothing where the file does not tell them. */
void show_levels(const struct run_data *);

/*
 * What the rows of each probe show, on stdout: the values found, by their names, and the probe's
 * sentences; of the probes that `probes` selects ("": all). Nothing where the file has none.
 */
void show_found(const struct run_data *, const struct card *, const char *probes);

#endif
