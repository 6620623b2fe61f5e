/* SPDX-License-Identifier: MIT */
/* Which of several sources that disagree gives the rate of the TSC. */
#ifndef KERNEL_CPU_TSC_CHOICE_H
#define KERNEL_CPU_TSC_CHOICE_H

#include "engine/room.h"

/*
 * Chooses among f->tsc: a claimed rate where a timed source confirms it within 500 ppm, because it
 * then is exact; else the timed source of median value; else a claim. Fills tsc_hz, tsc_source and
 * tsc_disagree_ppm. false: there is none.
 */
bool tsc_choose(struct facts *);

#endif
