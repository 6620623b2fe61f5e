/* SPDX-License-Identifier: MIT */
/* Godbolt's state machine (leaf_states): its data, and what plain C says that it returns. */
#ifndef PROBES_STATES_H
#define PROBES_STATES_H

#include "lib/math.h"
#include "probes/loops/leaf.h"

#define STATES_THRESHOLD 50
#define STATES_VALUES    100

/* n integers of 0 to 99: about every second one is above the threshold, and every second odd. */
void states_fill(struct random *, int *data, uint64_t n);

/* Without a branch on the data: mispredictions would make it slow. */
uint64_t states_value(const int *data, uint64_t n);

#endif
