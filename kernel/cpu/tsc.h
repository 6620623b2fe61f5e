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

/* Free-running counters of known rate. Each may stand still; no wait for one is without an end. */

#define WINDOWS 7

struct counter {
	const char *name;
	double hz; /* 0: not there, or not to be used */
	unsigned bits;
	uint64_t (*read)(const struct counter *);
	struct acpi_address io;
	double rates[WINDOWS]; /* of the TSC, by it */
};

/* Two registers of an HPET. */
struct hpet {
	uint32_t period; /* femtoseconds: 100 ns at most (IA-PC HPET 1.0a, 2.3.4) */
	uint32_t configuration;
};

#endif
