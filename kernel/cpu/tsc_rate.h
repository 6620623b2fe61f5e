/* SPDX-License-Identifier: MIT */
/* The rate of the TSC, by every source that the machine has, and how much they disagree. */
#ifndef KERNEL_CPU_TSC_RATE_H
#define KERNEL_CPU_TSC_RATE_H

#include <stdint.h>

#include "engine/room.h"

/*
 * Reads the claimed rates and times the counters; takes about 0.3 s. At the start, before
 * ExitBootServices (one source is the firmware's Stall), in the kernel's state, with room->cpuid
 * set. Fills room->facts.tsc*. false: no source at all.
 */
bool tsc_rate_measure(struct room *, uint64_t rsdp);

#endif
