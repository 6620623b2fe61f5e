/* SPDX-License-Identifier: MIT */
/* The most that `bandwidth` moves in a core cycle. */
#ifndef PROBES_BANDWIDTH_PEAKS_H
#define PROBES_BANDWIDTH_PEAKS_H

#include "engine/bench.h"

/* The summary's values of reads, writes and copies at each level. */
void bandwidth_find_peaks(struct bench *);

#endif
