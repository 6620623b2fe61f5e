/* SPDX-License-Identifier: MIT */
/*
 * Whether the machine may be an emulator or a virtual machine that hides: CPUID names nobody, but
 * names, rates, or what takes how long are not those of silicon. Each finding is a sentence in
 * facts.may_be_why; the strongest of them is facts.may_be. Where CPUID names an emulator nothing is
 * asked; where it names a hypervisor, only whether this one is an emulator.
 */
#ifndef ENGINE_DOUBTS_H
#define ENGINE_DOUBTS_H

#include "engine/bench.h"

/*
 * From names (CPUID's brand, SMBIOS, ACPI), rates of the TSC (probes/clock/README.md) and the cost
 * of CPUID. Once, when the room's facts are known.
 */
void doubts_of_machine(struct room *);

/* From what a load takes, once b->pace and b->core_hz are known; again in each run. */
void doubts_of_pace(struct bench *);

/* Sets facts.acpi_maker from the header of an ACPI table, ACPI_HEADER bytes (ACPI 6.5, 5.2.6). */
#define ACPI_HEADER 24
void doubts_acpi_maker(struct facts *, const void *table);

/* What a run is but for silicon alone: by the marks of result_mark. */
const char *facts_mark(const struct facts *);

#endif
