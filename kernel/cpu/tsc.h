/* SPDX-License-Identifier: MIT */
/* The rate of the TSC, by every source that the machine has, and which of them holds. */
#ifndef KERNEL_CPU_TSC_H
#define KERNEL_CPU_TSC_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/room.h"
#include "kernel/firmware/acpi.h"

/*
 * Reads the claimed rates and times the counters; takes about 0.3 s. At the start, before
 * ExitBootServices (one source is the firmware's Stall), in the kernel's state, with room->cpuid
 * set. Fills room->facts.tsc* and tsc_per_second. false: no source at all.
 */
bool tsc_rate_measure(struct room *, uint64_t rsdp);

#endif
