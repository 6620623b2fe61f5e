/* SPDX-License-Identifier: MIT */
/* The rate of the TSC, by every source that the machine has, and the choice among them. */
#ifndef KERNEL_CPU_TSC_H
#define KERNEL_CPU_TSC_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/room.h"
#include "kernel/firmware/acpi.h"

/*
 * Read the claimed rates and time the counters; takes about 0.3 s. Call it at the start, before
 * ExitBootServices (one source is the firmware's Stall), in the kernel's state, with room->cpuid
 * set. Fills room->facts.tsc* and tsc_per_second. Returns false if there is no source at all.
 */
bool tsc_rate_measure(struct room *, uint64_t rsdp);

#endif
