/* SPDX-License-Identifier: MIT */
/* The rate of the TSC, by every source that the machine has, and which of them holds. */
#ifndef KERNEL_CPU_TSC_H
#define KERNEL_CPU_TSC_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/room.h"
#include "kernel/firmware/acpi.h"

/*
 * Chooses among f->tsc: a claimed rate where a timed source confirms it within 500 ppm, because it
 * then is exact; else the timed source of median value; else a claim. Fills tsc_hz, tsc_source and
 * tsc_disagree_ppm. false: there is none.
 */
bool tsc_choose(struct facts *);

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

/* Ticks of a counter of `bits` bits that went from `first` to `last`, wrapping at most once. */
uint64_t counter_elapsed(uint64_t first, uint64_t last, unsigned bits);
/*
 * Whether it counts: it must move within 200 000 ticks of the TSC, as Linux demands of an HPET
 * (hpet_counting), and within 1000 readings, as one on a slow bus or under an emulator needs.
 */
bool counter_moves(const struct counter *);
/* Waits so long by the counter; some seconds at most. false: the counter has stopped. */
bool counter_wait(const struct counter *, double microseconds);
/* Two registers of an HPET. */
struct hpet {
	uint32_t period; /* femtoseconds: 100 ns at most (IA-PC HPET 1.0a, 2.3.4) */
	uint32_t configuration;
};

/* Whether an HPET can be what they say; all ones are those of a device that is off. */
bool hpet_is_plausible(const struct hpet *);

#endif
