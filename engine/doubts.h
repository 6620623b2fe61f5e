/* SPDX-License-Identifier: MIT */
/*
 * Look for an emulator or a virtual machine that hides: CPUID names none, but names, rates or
 * durations are not those of silicon. Each finding is a sentence in facts.may_be_why; the strongest
 * one sets facts.may_be. If CPUID names an emulator, nothing is examined; if it names a hypervisor,
 * only signs of an emulator are.
 */
#ifndef ENGINE_DOUBTS_H
#define ENGINE_DOUBTS_H

#include "engine/bench.h"

/*
 * From names (CPUID's brand, SMBIOS, ACPI), rates of the TSC (probes/clock/README.md) and the cost
 * of CPUID. Once, when the room's facts are known.
 */
void doubts_of_machine(struct room *);

/*
 * From what a load takes, once b->pace and b->core_hz are known; again in each run. If that cannot
 * be, loads and multiplications are measured twice, each beside the clock of its moment: both must
 * be impossible each time for DOUBT_EMULATED. The load alone is DOUBT_VIRTUAL, and a sign that goes
 * away is none. Uses the first bytes of the arena.
 */
void doubts_of_pace(struct bench *);

/* Sets facts.acpi_maker from the header of an ACPI table, ACPI_HEADER bytes (ACPI 6.5, 5.2.6). */
#define ACPI_HEADER 24
void doubts_acpi_maker(struct facts *, const void *table);

/* Returns the mark (result_mark) of a run that is not on silicon alone. */
const char *facts_mark(const struct facts *);

#endif
